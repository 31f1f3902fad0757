#pragma once

// What a row can say about its survivors. Sums run in the one order. Included by row.hpp.

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_STRICT_BEGIN

inline std::size_t row::size() noexcept {
  if (!size_known_) {
    size_ = 0;
    each([this](token_id, float) { ++size_; });
    size_known_ = true;
  }
  return size_;
}

inline float row::max() noexcept {
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
      if (block.logits[i] == best) return block.id(i);
  }
  return no_token;
}

inline row_moments row::moments() noexcept {
  // One pass in float about the first survivor. It serves long rows where little cancels; others are summed
  // in double, about the mean.
  float shift = 0, reach = 0;
  std::size_t count = 0;
  kernel::lane_sums<float, 2> fast;
  each([&](token_id id, float logit) {
    if (count++ == 0) shift = logit;
    const float d = logit - shift;
    reach = std::max(reach, d < 0 ? -d : d);
    fast.add(id, {d, d * d});
  });
  if (count == 0) return {};
  const double n = double(count);
  if (count >= 4096 && reach <= 1e15f) {
    const auto [sum, squares] = fast.total();
    const double variance = (squares - sum * (sum / n)) / n;
    if (16 * variance >= squares / n) {
      return {count, double(shift) + sum / n, kernel::square_root(variance)};
    }
  }
  kernel::lane_sums<double, 1> sums, squares;
  each([&](token_id id, float logit) { sums.add(id, {double(logit) - double(shift)}); });
  const double offset = sums.total()[0] / n;
  each([&](token_id id, float logit) {
    const double d = (double(logit) - double(shift)) - offset;
    squares.add(id, {d * d});
  });
  return {count, double(shift) + offset, kernel::square_root(squares.total()[0] / n)};
}

inline row_mass row::mass() noexcept {
  row_mass result;
  const double top = double(max());
  kernel::lane_sums<double, 1> weighted;
  each([&](token_id id, float logit) {
    const double x = double(logit) - top;
    const std::uint64_t m = kernel::mass(x);
    result.total += m;
    if (m != 0) weighted.add(id, {double(m) * x});
  });
  result.weighted = weighted.total()[0];
  return result;
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
  return double(max()) + kernel::ln(double(mass().total) / kernel::mass_one);
}

inline double row::collision_height(double t) noexcept {
  // With e = e^((l - max) / t) and u = e - 1 the quotient sum e^2 / sum e is 1 + sum e u / sum e: exact where
  // all logits agree, and accurate where t is large. Below -64 a term is lost in any sum.
  const double top = double(max()), inverse = 1.0 / t;
  kernel::lane_sums<double, 2> sums;
  each([&](token_id id, float logit) {
    const double x = (double(logit) - top) * inverse;
    if (x < -64) return;
    const kernel::power_of_two p = kernel::split_exp2(x * kernel::log2_e);
    const double e = kernel::scale(1.0 + p.fraction, p.whole);
    sums.add(id, {e, e * (p.whole == 0 ? p.fraction : e - 1.0)});
  });
  const auto [sum, excess] = sums.total();
  return kernel::ln_1p(excess / sum);
}

inline std::span<candidate> row::top(std::size_t k) noexcept {
  if (k == 0 || empty()) return {};
  if (k >= size()) return ranked(keys(kernel::lowest));
  const rank_key last = top_cut(k);
  std::span<rank_key> first = keys(kernel::logit_of(last));
  // Ties with the last one may follow it.
  return ranked({first.data(), std::size_t(std::partition(first.begin(), first.end(),
                                                          [last](rank_key key) { return key >= last; }) -
                                           first.begin())});
}

inline std::span<candidate> row::heavier_than(float fraction) noexcept {
  const std::uint64_t limit = kernel::floor_product(fraction, mass().total);
  const mass_under weight{double(max())};
  std::span<rank_key> all = keys(kernel::lowest);
  return ranked({all.data(), std::size_t(std::partition(all.begin(), all.end(),
                                                        [&](rank_key key) { return weight(key) > limit; }) -
                                         all.begin())});
}

SLUICE_STRICT_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
