#pragma once

#include <cstdint>
#include <limits>

#include <sluice/kernel/arithmetic/rank_key.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::truncate {

/// The winner, and how many draws it took; `fell_back` where the rounds did not suffice.
struct rejected {
  kernel::rank_key winner = 0;
  int rounds = 0;
  bool fell_back = false;
};

/// Enough for any row: the interval of 64-bit keys halves in each round but the first two.
inline constexpr int most_rounds = 66;

/// Dual-pivot rejection: the draw over the survivors of a cut, without the cut.
/// `draw(low)` is the draw's winner among the tokens that rank before `low` (0: all); `inside(key)` tells
/// whether a token with that key would survive, and is monotone in rank. The candidate stands if it is
/// inside; else it becomes the lower pivot, and so do keys above it that are outside as well: first
/// `probe()`, a key that is cheap to test, and from the third round on the middle of the interval of keys.
/// Since each token's noise is fixed, the accepted token is the winner among the survivors, whatever the
/// pivots were. Where `rounds` do not suffice, `exactly()` gives the key of the last survivor.
template <class Probe, class Draw, class Inside, class Exactly>
rejected reject(kernel::rank_key best, kernel::rank_key low, Probe probe, int rounds, Draw draw,
                Inside inside, Exactly exactly) noexcept {
  kernel::rank_key high = best;
  for (int round = 1; round <= rounds; ++round) {
    const kernel::rank_key candidate = draw(low);
    if (candidate >= high || inside(candidate)) return {candidate, round};
    low = candidate;
    const kernel::rank_key pivot = round == 1 ? probe() : round == 2 ? 0 : low + (high - low) / 2;
    if (pivot > low && pivot < high) (inside(pivot) ? high : low) = pivot;
  }
  return {draw(exactly() - 1), rounds + 1, true};
}

/// The lowest key that is inside: the cut, by the same pivots.
template <class Inside>
kernel::rank_key search(kernel::rank_key best, Inside inside) noexcept {
  // Below all finite logits, above the keys that -inf and NaN would have.
  kernel::rank_key low = (kernel::key_of(std::numeric_limits<float>::lowest(), 0) >> 32 << 32) - 1;
  kernel::rank_key high = best;
  while (high - low > 1) {
    const kernel::rank_key middle = low + (high - low) / 2;
    (inside(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::truncate
