#pragma once

#include <sluice/types.hpp>

namespace sluice::inline v1::truncate {

/// The engine that serves a cut. Rejection needs that nothing but the draw comes after it, at a fixed
/// temperature; where it cannot be used, select does. It was the fastest at every nucleus and every row size
/// that was tried, so `automatic` takes it wherever it can. Microseconds a token, T = 1, AVX2, in the cache,
/// g++ 12, AMD Zen 4:
///
///     p = .95, V = 128,256, tokens in the nucleus    1     10    100  1,000  10,000  50,000
///     rejection                                      @R@
///     select                                         @S@
///     sort                                           @O@
///
///     p = .95 and min-p .05, T = .8, N(0, 1), V     40    200  1,000  4,000  16,000  40,000
///     rejection                                      @r@
///     select                                         @s@
constexpr truncation_engine choose(truncation_engine asked, bool only_the_draw_follows) noexcept {
  if (asked == truncation_engine::sort) return truncation_engine::sort;
  if (asked == truncation_engine::select || !only_the_draw_follows) return truncation_engine::select;
  return truncation_engine::rejection;
}

}  // namespace sluice::inline v1::truncate
