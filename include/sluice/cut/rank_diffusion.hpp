#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// The Gaussian over ranks that scatter diffuses with: g[d] = e^(-d^2 / (2 radius^2)) and its prefix sums,
/// built once. Sums run in rank order, in double.
struct rank_diffusion {
  static constexpr std::size_t longest = 1024;

  std::vector<double> weight = {};
  std::vector<double> prefix = {};
};

namespace detail {
inline namespace SLUICE_ISA {

SLUICE_IEEE_BEGIN

SLUICE_COLD void build(rank_diffusion& d, int k, float radius) {
  const std::size_t size = std::min(std::size_t(k), rank_diffusion::longest);
  d.weight.clear();
  d.prefix.clear();
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double distance = double(i) / double(radius);
    d.weight.push_back(kernel::exp(-0.5 * distance * distance));
    d.prefix.push_back(sum += d.weight.back());
  }
  // Past 10^-45 a weight moves no logit: the write-back ends at FLT_MIN.
  while (d.weight.size() > 1 && d.weight.back() < 1e-45) d.weight.pop_back();
}

inline void normalise(std::span<double> p) noexcept {
  double sum = 0;
  for (const double v : p) sum += v;
  for (double& v : p) v /= sum;
}

/// p = softmax over candidates in rank order.
inline void softmax_of(std::span<const candidate> candidates, std::span<double> p) noexcept {
  for (std::size_t i = 0; i < p.size(); ++i)
    p[i] = kernel::exp(double(candidates[i].logit) - double(candidates[0].logit));
  normalise(p);
}

/// -sum p ln p / ln K, in [0, 1].
inline double normalized_entropy_of(std::span<const double> p) noexcept {
  double h = 0;
  for (const double v : p)
    if (v > 0) h -= v * kernel::ln(v);
  return std::clamp(h / kernel::ln(double(p.size())), 0.0, 1.0);
}

/// p = normalise((1 - s) p + s q), q_i = sum_j g[|i - j|] p_j / sum_j g[|i - j|] over the ranks that exist.
inline void diffuse(const rank_diffusion& d, std::span<double> p, double s) noexcept {
  std::array<double, rank_diffusion::longest> next;
  const std::size_t size = p.size(), reach = d.weight.size() - 1;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0;
    for (std::size_t j = i > reach ? i - reach : 0; j < std::min(size, i + reach + 1); ++j)
      sum += d.weight[i > j ? i - j : j - i] * p[j];
    next[i] = (1 - s) * p[i] + s * (sum / (d.prefix[i] + d.prefix[size - 1 - i] - 1));
  }
  std::copy_n(next.begin(), size, p.begin());
  normalise(p);
}

/// Candidates and their masses in the order of (mass descending, id ascending), normalised.
inline void rank_again(std::span<candidate> candidates, std::span<double> p) noexcept {
  struct weighed {
    double mass;
    candidate token;
  };
  std::array<weighed, rank_diffusion::longest> both;
  normalise(p);
  for (std::size_t i = 0; i < p.size(); ++i) both[i] = {p[i], candidates[i]};
  std::sort(both.begin(), both.begin() + std::ptrdiff_t(p.size()), [](const weighed& a, const weighed& b) {
    return a.mass > b.mass || (a.mass == b.mass && a.token.id < b.token.id);
  });
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = both[i].mass;
    candidates[i] = both[i].token;
  }
}

/// Masses as logits, in floats that keep the ranking: where two round to one float and the ids would turn
/// them round, the later one takes the next float down.
inline void write_back(std::span<candidate> candidates, std::span<const double> p) noexcept {
  for (std::size_t i = 0; i < p.size(); ++i) {
    candidates[i].logit = float(kernel::ln(std::max(p[i], double(std::numeric_limits<float>::min()))));
    if (i == 0) continue;
    candidates[i].logit = std::min(candidates[i].logit, candidates[i - 1].logit);
    if (candidates[i].logit == candidates[i - 1].logit && candidates[i].id < candidates[i - 1].id)
      candidates[i].logit = std::nextafter(candidates[i].logit, kernel::infinite(-1));
  }
}

SLUICE_IEEE_END

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
