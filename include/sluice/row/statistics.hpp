#pragma once

// What a row can say about its survivors. Sums run in the one order.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/kernel/arithmetic/mass.hpp>
#include <sluice/kernel/lanes.hpp>
#include <sluice/row/members.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// Rows of at least so many survivors are summed in float inside a block: there rounding errors cancel.
/// Shorter ones are cheap anyway.
inline constexpr std::size_t long_row = 4096;

SLUICE_NEVER_INLINE row_moments row::moments() noexcept {
  const float threshold = blocks_.threshold();
  float shift = 0;  // the survivor of lowest id
  for (const kernel::block& block : blocks_.table()) {
    if (!(block.max >= threshold)) continue;
    std::size_t i = 0;
    while (!(blocks_.logit(block, i) >= threshold)) ++i;
    shift = blocks_.logit(block, i);
    break;
  }
  const kernel::fast_moments fast =
      blocks_.kernels().moments(blocks_.widened(threshold), blocks_.block_count(), blocks_.present(), shift);
  if (fast.count == 0) return {};
  const double n = double(fast.count);
  if (fast.count >= long_row && fast.squares < 1e30) {
    const double variance = (fast.squares - fast.sum * (fast.sum / n)) / n;
    // Where the shift lies far from the mean the difference cancels, and the sums below serve.
    if (16 * variance >= fast.squares / n) {
      return {fast.count, double(shift) + fast.sum / n, kernel::square_root(variance)};
    }
  }
  kernel::lane_sums<double, 1> sums, squares;
  each([&](token_id id, float logit) { sums.add(id, {double(logit) - double(shift)}); });
  const double offset = sums.total()[0] / n;
  each([&](token_id id, float logit) {
    const double d = (double(logit) - double(shift)) - offset;
    squares.add(id, {d * d});
  });
  return {fast.count, double(shift) + offset, kernel::square_root(squares.total()[0] / n)};
}

SLUICE_NEVER_INLINE row_mass row::mass() noexcept {
  if (weighted_as_of_ != blocks_.changes()) {
    const kernel::mass_sums sums = blocks_.kernels().weighted_mass(
        blocks_.widened(blocks_.threshold()), blocks_.block_count(), blocks_.present(), double(max()));
    mass_ = {sums.total, sums.weighted};
    total_as_of_ = weighted_as_of_ = blocks_.changes();
  }
  return mass_;
}

SLUICE_NEVER_INLINE std::uint64_t row::total_mass() noexcept {
  if (total_as_of_ != blocks_.changes()) {
    mass_.total = blocks_.kernels()
                      .mass(blocks_.widened(blocks_.threshold()), blocks_.block_count(), blocks_.present(),
                            double(max()))
                      .total;
    total_as_of_ = blocks_.changes();
  }
  return mass_.total;
}

inline double row::expectation() noexcept {
  const row_mass m = mass();
  return double(max()) + m.weighted / double(m.total);
}

inline double row::entropy() noexcept {
  const row_mass m = mass();
  const double h = kernel::ln(double(m.total) / kernel::mass_one) - m.weighted / double(m.total);
  return h > 0 ? h : 0;
}

inline double row::log_sum_exp() noexcept {
  return double(max()) + kernel::ln(double(total_mass()) / kernel::mass_one);
}

SLUICE_NEVER_INLINE double row::collision_level(double t) noexcept {
  // With e = e^((l - max) / t) the quotient sum e^2 / sum e is 1 + sum e (e - 1) / sum e: exact where all
  // logits agree, and accurate where t is large.
  const double top = double(max());
  const auto c = float(kernel::log2_e / t);
  const kernel::collision_sums fast = blocks_.kernels().collision(
      blocks_.widened(blocks_.threshold()), blocks_.block_count(), blocks_.present(), max(), c);
  if (fast.count >= long_row && c > 1e-30f) {
    // The level hardly moves with t, so it is taken at the t that the rounded c stands for.
    return top + kernel::log2_e / double(c) * kernel::ln_1p(fast.excess / fast.sum);
  }
  const double inverse = 1.0 / t;
  kernel::lane_sums<double, 2> sums;
  each([&](token_id id, float logit) {
    const double x = (double(logit) - top) * inverse;
    if (x < -64) return;  // lost in any sum
    const kernel::power_of_two p = kernel::split_exp2(x * kernel::log2_e);
    const double e = kernel::scale(1.0 + p.fraction, p.exponent);
    sums.add(id, {e, e * (p.exponent == 0 ? p.fraction : e - 1.0)});
  });
  const auto [sum, excess] = sums.total();
  return top + t * kernel::ln_1p(excess / sum);
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
