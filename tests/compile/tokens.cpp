// Prints a thousand tokens, a line each: what flags of the compiler must not change.
#include <cstdio>
#include <sluice/sluice.hpp>

#include "made_rows.hpp"

int main() {
  for (const sluice::sampling_params& params : made_params()) {
    sluice::sampler sampler(params);
    for (unsigned i = 0; i < 100; ++i) {
      const sluice::sample_result next = sampler.next(made_row(i));
      std::printf("%d status %d nan %d\n", next.token, int(next.status), int(next.saw_nan));
    }
  }
}
