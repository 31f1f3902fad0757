// A thread may run with another rounding, and with subnormals flushed, which linking with -ffast-math sets
// up. Neither changes a token, and a call leaves the mode as it was.
#include <cfenv>
#include <cstdio>
#include <sluice/sluice.hpp>
#if defined(__SSE__)
#include <immintrin.h>
#endif

#include "../golden/cases.hpp"

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
  for (const golden::test_case& c : golden::cases()) {
    sluice::sampler usual(c.params), unusual(c.params);
    for (std::size_t i = 0; i < 16; ++i) {
      const golden::step now = golden::make_step(c, i);
      const std::vector<float>& logits = now.logits;
      usual.sequence.reseed(now.seed);
      unusual.sequence.reseed(now.seed);
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
        std::printf("%s, row %zu: token %d became %d, mode %x became %x\n", c.name.c_str(), i, expected,
                    token, entered, left);
        return 1;
      }
    }
  }
}
