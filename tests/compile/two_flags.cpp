// Half of a program whose other file, step.cpp, has other flags. A sampler passes between them, and both must
// draw the same tokens. Its argument names the flags.
#include <cstdio>
#include <sluice/sluice.hpp>
#include <string_view>

#include "made_rows.hpp"

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
  for (const sluice::sampling_params& params : made_params()) {
    sluice::sampler here(params), there(params), shared(params);
    for (unsigned i = 0; i < 40; ++i) {
      const std::vector<float> logits = made_row(i);
      const int expected = here.next(logits).token;
      const int across = step(there, logits);
      const int mixed = i % 2 == 0 ? step(shared, logits) : shared.next(logits).token;
      if (expected != across || expected != mixed) {
        std::printf("row %u: %d here, %d there, %d in turns\n", i, expected, across, mixed);
        return 1;
      }
    }
  }
}
