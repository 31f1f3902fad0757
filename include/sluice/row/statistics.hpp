#pragma once

// What a row can say about its survivors. Sums run in the one order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/row/class.hpp>
#include <sluice/row/filter.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

inline std::size_t row::size() noexcept {
  if (!size_known_) {
    const bool all = dense_ && kernel::is_infinite(present());
    size_ = all ? vocab_ : kernels_.count(opened(floor_), block_count_, floor_);
    size_known_ = true;
  }
  return size_;
}

inline bool row::empty() const noexcept {
  for (const kernel::block& block : blocks())
    if (block.max >= floor_) return false;
  return true;
}

inline const float& row::max() noexcept {
  if (!max_known_) {
    max_ = kernel::infinite(-1);
    for (const kernel::block& block : blocks())
      if (block.max >= floor_ && block.max > max_) max_ = block.max;
    max_known_ = true;
  }
  return max_;
}

inline float row::reference() noexcept {
  if (!std::exchange(reference_known_, true)) reference_ = max();
  return reference_;
}

inline token_id row::argmax() noexcept {
  const float best = max();
  for (const kernel::block& block : blocks()) {
    if (!(block.max >= floor_) || block.max < best) continue;
    for (std::uint32_t i = 0; i < block.count; ++i)
      if (logit(block, i) == best) return block.id(i);
  }
  return no_token;
}

SLUICE_NEVER_INLINE row_moments row::moments() noexcept {
  float shift = 0;  // the survivor of lowest id
  for (const kernel::block& block : blocks()) {
    if (!(block.max >= floor_)) continue;
    std::size_t i = 0;
    while (!(logit(block, i) >= floor_)) ++i;
    shift = logit(block, i);
    break;
  }
  const kernel::fast_moments fast = kernels_.moments(opened(floor_), block_count_, present(), shift);
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
  if (!weighted_known_) {
    const kernel::mass_sums sums =
        kernels_.weighted_mass(opened(floor_), block_count_, present(), double(max()));
    mass_ = {sums.total, sums.weighted};
    total_known_ = weighted_known_ = true;
  }
  return mass_;
}

SLUICE_NEVER_INLINE std::uint64_t row::total_mass() noexcept {
  if (!total_known_) {
    mass_.total = kernels_.mass(opened(floor_), block_count_, present(), double(max())).total;
    total_known_ = true;
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

SLUICE_NEVER_INLINE double row::agreement_level(double t) noexcept {
  // With e = e^((l - max) / t) the quotient sum e^2 / sum e is 1 + sum e (e - 1) / sum e: exact where all
  // logits agree, and accurate where t is large.
  const double top = double(max());
  const auto c = float(kernel::log2_e / t);
  const kernel::collision_sums fast = kernels_.collision(opened(floor_), block_count_, present(), max(), c);
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

SLUICE_NEVER_INLINE std::span<candidate> row::top(std::size_t k) noexcept {
  if (k == 0 || empty()) return {};
  return ranked(k >= size() ? keys(kernel::lowest) : top_keys(k));
}

/// A heavy token lies near the maximum: only those are weighed.
SLUICE_NEVER_INLINE std::span<candidate> row::heavier_than(float fraction) noexcept {
  const std::uint64_t limit = kernel::floor_product(kernel::fraction(fraction), total_mass());
  const mass_under weight(kernels_, double(max()));
  constexpr double slack = 1e-6;  // nats, beyond what the exponential errs
  const double depth = kernel::ln((double(limit) + 0.5) / kernel::mass_one) - slack;
  std::span<rank_key> all = keys(kernel::at_most(double(max()) + depth));
  return ranked({all.data(), std::size_t(std::partition(all.begin(), all.end(),
                                                        [&](rank_key key) { return weight(key) > limit; }) -
                                         all.begin())});
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
