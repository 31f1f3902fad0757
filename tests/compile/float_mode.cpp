// A thread may run with another rounding, and with subnormals flushed, which linking with -ffast-math sets
// up. Neither changes a token, and a call leaves the mode as it was.
#include <cfenv>
#include <cstdio>
#include <sluice/sluice.hpp>
#if defined(__SSE__)
#include <immintrin.h>
#endif

#include "made_rows.hpp"

/// The mode of this thread, the flags that calculations raise left out.
unsigned mode() {
#if defined(__SSE__)
  return _mm_getcsr() & ~0x3Fu;
#else
  return unsigned(std::fegetround());
#endif
}

void flush_subnormals() {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040u);
#endif
}

int main() {
  for (const sluice::sampling_params& params : made_params()) {
    sluice::sampler usual(params), unusual(params);
    for (unsigned i = 0; i < 20; ++i) {
      const std::vector<float> logits = made_row(i);
      const sluice::token_id expected = usual.next(logits).token;
      const std::size_t survivors = usual.distribution(logits).size();

      std::fenv_t before;
      std::fegetenv(&before);
      std::fesetround(i % 2 == 0 ? FE_UPWARD : FE_TOWARDZERO);
      flush_subnormals();
      const unsigned entered = mode();
      const sluice::token_id token = unusual.next(logits).token;
      const bool same_survivors = unusual.distribution(logits).size() == survivors;
      const bool prepared = unusual.chain.prepare(unusual.sequence, logits.size());
      const unsigned left = mode();
      std::fesetenv(&before);

      if (token != expected || !same_survivors || !prepared || left != entered) {
        std::printf("row %u: token %d became %d, mode %x became %x\n", i, expected, token, entered, left);
        return 1;
      }
    }
  }
}
