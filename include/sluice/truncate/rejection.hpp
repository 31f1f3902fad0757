#pragma once

#include <cstdint>

#include <sluice/kernel/rank.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::truncate {

/// Dual-pivot rejection: the draw over the survivors of a cut, without the cut.
/// `draw(low)` is the draw's winner among the tokens that rank before `low` (0: all); `inside(key)` tells
/// whether a token with that key would survive, and is monotone in rank. The candidate stands if it is
/// inside; else it becomes the lower pivot, or the middle of the interval does if that is outside too. Since
/// each token's noise is fixed, the accepted token is the winner among the survivors, whatever the pivots
/// were. The interval of keys halves each round: at most 64 rounds.
template <class Draw, class Inside>
kernel::rank_key reject(kernel::rank_key best, kernel::rank_key low, Draw draw, Inside inside) noexcept {
  kernel::rank_key high = best;
  for (;;) {
    const kernel::rank_key candidate = draw(low);
    if (candidate >= high || inside(candidate)) return candidate;
    low = candidate;
    const kernel::rank_key middle = low + (high - low) / 2;
    (inside(middle) ? high : low) = middle;
  }
}

/// The lowest key that is inside: the cut, by the same pivots.
template <class Inside>
kernel::rank_key search(kernel::rank_key best, Inside inside) noexcept {
  kernel::rank_key low = 0, high = best;
  while (high - low > 1) {
    const kernel::rank_key middle = low + (high - low) / 2;
    (inside(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::truncate
