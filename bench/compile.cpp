// What including the library costs: bench_compile_time compiler include-directory scratch-directory
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

extern char** environ;

namespace {

struct sample {
  const char *name, *text;
  double goal;  // seconds, 0: none
};

constexpr sample samples[] = {
    {"api.hpp", "#include <sluice/api.hpp>\n", 0.4},
    {"sluice.hpp", "#include <sluice/sluice.hpp>\n", 1.5},
    {"sluice.hpp and a call",
     "#include <sluice/sluice.hpp>\n"
     "int step(sluice::sampler& s, sluice::logits_view row) { return s.next(row).token; }\n",
     0},
};

/// User seconds of one run, children included.
double user_seconds(const std::string& compiler, const std::string& include, const std::string& file) {
  std::array<std::string, 7> words{compiler, "-std=c++20", "-O2", "-I" + include, "-c", file, "-o/dev/null"};
  std::array<char*, 8> arguments{};
  std::transform(words.begin(), words.end(), arguments.begin(),
                 [](std::string& word) { return word.data(); });
  pid_t child = 0;
  if (posix_spawnp(&child, compiler.c_str(), nullptr, nullptr, arguments.data(), environ) != 0)
    throw std::runtime_error(compiler + " cannot be started");
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child || status != 0)
    throw std::runtime_error(compiler + " does not compile " + file);
  return double(used.ru_utime.tv_sec) + 1e-6 * double(used.ru_utime.tv_usec);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_compile_time compiler include-directory scratch-directory\n");
    return 2;
  }
  std::printf("| -O2, median of 5 | user seconds | goal |\n|---|--:|--:|\n");
  for (const sample& s : samples) {
    const std::string file = std::string(argv[3]) + "/compiled.cpp";
    std::ofstream(file) << s.text;
    std::array<double, 5> times{};
    for (double& time : times) time = user_seconds(argv[1], argv[2], file);
    std::sort(times.begin(), times.end());
    std::printf("| %s | %.2f%s |", s.name, times[2], s.goal > 0 && times[2] > s.goal ? " !" : "");
    std::printf(s.goal > 0 ? " %g |\n" : " |\n", s.goal);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
