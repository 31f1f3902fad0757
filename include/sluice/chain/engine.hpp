#pragma once

#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail {

/// The engine that serves a cut. Rejection needs that nothing but the draw comes after it, at a fixed
/// temperature; where it cannot be used, select does. It was the fastest for every nucleus and every row size
/// that was tried, so `automatic` takes it wherever it can. Measured on an AMD EPYC (Zen 4), AVX-512,
/// g++ 12.2, rows in the cache:
///
///     top-p .95, V = 128,256; reads of the row
///     tokens in the nucleus        1     10    100  1,000  10,000  50,000
///     rejection, T = 1          2.47   2.99   4.29   6.88    7.59    8.00
///     rejection, T = 2          7.39   10.4   16.2   17.9    14.5    10.8
///     select, T = 1             28.0   30.3   38.8   61.5    78.8    88.1
///     sort, T = 1              1,397  1,370  1,404  1,424   1,403   1,460
///
///     top-p .95, min-p .05, T = .8, N(0, 1); microseconds
///     V                           40    200  1,000  4,000  16,000  40,000
///     rejection                  .92   2.00   3.80   9.23    8.48    14.1
///     select                    1.33   3.18   9.05   17.0    58.6     164
constexpr truncation_engine chosen_engine(truncation_engine asked, bool only_the_draw_follows) noexcept {
  if (asked == truncation_engine::sort) return truncation_engine::sort;
  if (asked == truncation_engine::select || !only_the_draw_follows) return truncation_engine::select;
  return truncation_engine::rejection;
}

}  // namespace sluice::inline v1::detail

#include <sluice/macros_back.inc>
