// Half of a program whose other file, step.cpp, has other flags. A sampler passes between them, and both must
// draw the same tokens. Its argument names the flags.
#include <cstdio>
#include <sluice/sluice.hpp>
#include <string_view>

#include "../golden/cases.hpp"

int step(sluice::sampler& sampler, std::span<const float> logits);

bool runs_here([[maybe_unused]] std::string_view flags) {
#if defined(__x86_64__)
  return flags != "avx2" || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
  return true;
#endif
}

int main(int argc, char** argv) {
  if (argc > 1 && !runs_here(argv[1])) return 77;
  for (const golden::test_case& c : golden::cases()) {
    sluice::sampler here(c.params), there(c.params), shared(c.params);
    for (std::size_t i = 0; i < 16; ++i) {
      const golden::step now = golden::make_step(c, i);
      for (sluice::sampler* s : {&here, &there, &shared}) s->sequence.reseed(now.seed);
      const int expected = here.next(now.logits).token;
      const int across = step(there, now.logits);
      const int mixed = i % 2 == 0 ? step(shared, now.logits) : shared.next(now.logits).token;
      if (expected != across || expected != mixed) {
        std::printf("%s, row %zu: %d here, %d there, %d in turns\n", c.name.c_str(), i, expected, across,
                    mixed);
        return 1;
      }
    }
  }
}
