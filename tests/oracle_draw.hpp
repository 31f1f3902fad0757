// The oracle's last stages: temperature, dynamic temperature, greedy, the law of the draw, and both draws.
#pragma once

#include <sluice/params.hpp>

#include <set>

#include "oracle_noise.hpp"
#include "oracle_row.hpp"

namespace tests::oracle {

inline void keep_argmax(row& r) { keep_prefix(r, ranked(r), 1); }

/// T, or with a range max(0, T - r) + (T + r - max(0, T - r)) (H / ln n)^exponent, rounded to float.
inline float temperature_of(row& r, float temperature, float range, float exponent) {
  if (range <= 0 || r.size() == 1) return temperature;
  const float max = r.max();
  std::vector<real> p;
  real sum = 0;
  for (const token& t : r.tokens) sum += p.emplace_back(exponential_of_gap(t.logit, max));
  real entropy = 0;
  for (const real x : p)
    if (x > 0) entropy -= x / sum * std::log(x / sum);
  const real share = r.is_constant() ? 1 : std::clamp<real>(entropy / std::log(real(r.size())), 0, 1);
  const real low = std::max<real>(0, real(temperature) - real(range));
  const real high = real(temperature) + real(range);
  const float result = static_cast<float>(low + (high - low) * std::pow(share, real(exponent)));
  if (low < 1e-5L) r.judged(result, 1e-5L, 1e-5L);
  return result;
}

/// What the coin-free XTC needs at the draw.
struct marginal_xtc {
  float probability = 0;
  std::set<int> removable = {};
};

/// What is drawn from: survivors, the temperature left for the draw, the zero of the scores.
struct draw_input {
  row survivors;
  float temperature = 1;
  float reference = 0;
  marginal_xtc marginal = {};

  /// e^((l - max) / T) of each survivor, in order of ids.
  std::vector<real> weights() const {
    const float max = survivors.max();
    std::vector<real> result;
    for (const token& t : survivors.tokens)
      result.push_back(std::exp((real(t.logit) - real(max)) / real(temperature)));
    return result;
  }

  /// round(2^44 w)
  static std::uint64_t mass(real weight) {
    return static_cast<std::uint64_t>(std::round(std::ldexp(weight, 44)));
  }

  /// (1 - rho) / (1 + rho x / (1 - x)) for a removable token, x their share of the tempered masses; 1 for
  /// others. Where no other token has a mass, x is their share of the weights: 1 - x is not 0. Where greedy
  /// leaves a removable token alone, it has no rival.
  std::vector<real> factors() const {
    const std::vector<real> weight = weights();
    std::uint64_t kept_mass = 0;
    std::uint64_t removable_mass = 0;
    real kept = 0;
    real removable = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      const bool goes = marginal.removable.contains(survivors.tokens[i].id);
      (goes ? removable_mass : kept_mass) += mass(weight[i]);
      (goes ? removable : kept) += weight[i];
    }
    if (kept == 0) return std::vector<real>(weight.size(), 1);
    const real rho = marginal.probability;
    const real odds = kept_mass > 0 ? real(removable_mass) / real(kept_mass) : removable / kept;
    const real factor = (1 - rho) / (1 + rho * odds);
    std::vector<real> result(weight.size(), 1);
    for (std::size_t i = 0; i < weight.size(); ++i)
      if (marginal.removable.contains(survivors.tokens[i].id)) result[i] = factor;
    return result;
  }
};

/// The integer masses of the softmax draw, in order of ids: round(2^44 factor e^((l - max) / T)). Where all
/// are 0, because what is not discounted lies far below, they are taken under the largest weight instead.
struct draw_masses {
  std::vector<real> exact;  // before rounding
  std::vector<std::uint64_t> rounded;
  std::uint64_t total = 0;

  explicit draw_masses(const draw_input& d) {
    const std::vector<real> weight = d.weights();
    const std::vector<real> factor = d.factors();
    real largest = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      exact.push_back(std::ldexp(weight[i] * factor[i], 44));
      largest = std::max(largest, exact.back());
    }
    round();
    if (total != 0) return;
    for (real& m : exact) m = std::ldexp(m / largest, 44);
    round();
  }

 private:
  void round() {
    rounded.clear();
    for (const real m : exact) {
      rounded.push_back(static_cast<std::uint64_t>(std::round(m)));
      total += rounded.back();
    }
  }
};

struct chance {
  token of;
  real probability = 0;
  real factor = 1;      // of the coin-free XTC
  real slack = 1e-12L;  // what a right probability may differ by beside a relative 1e-5
};

inline bool is_probability(const chance& expected, float found) {
  return std::fabs(real(found) - expected.probability) <= 1e-5L * expected.probability + expected.slack;
}

/// The ranked survivors and their probabilities: of the weights for the Gumbel draw, of the integer masses
/// for the softmax draw. A mass that lies near a half may be rounded either way.
inline std::vector<chance> law(const draw_input& d, sluice::draw_method method) {
  const std::vector<real> factor = d.factors();
  std::vector<chance> result;
  if (method == sluice::draw_method::softmax) {
    const draw_masses m(d);
    const real unit = 1 / real(m.total);
    for (std::size_t i = 0; i < factor.size(); ++i) {
      const real from_half = std::fabs(m.exact[i] - std::floor(m.exact[i]) - 0.5L);
      const bool either = from_half <= 1e-6L + 1e-5L * m.exact[i];
      result.push_back({d.survivors.tokens[i], real(m.rounded[i]) * unit, factor[i], either ? unit : 0});
    }
  } else {
    const std::vector<real> weight = d.weights();
    real sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      result.push_back({d.survivors.tokens[i], weight[i] * factor[i], factor[i]});
      sum += result.back().probability;
    }
    for (chance& c : result) c.probability /= sum;
  }
  std::sort(result.begin(), result.end(),
            [](const chance& a, const chance& b) { return ranks_before(a.of, b.of); });
  return result;
}

/// A token, and how clearly it won: relative to the size of the numbers compared.
struct drawn {
  int id = -1;
  real distance = infinite;
};

/// The largest (l - ref) / T + g, equal scores by rank; every token's noise evaluated.
inline drawn gumbel_draw(const draw_input& d, const place_in_time& now) {
  drawn best;
  real best_score = 0;
  real second = -infinite;
  for (const chance& c : law(d, sluice::draw_method::gumbel)) {
    const real scaled = (real(c.of.logit) - real(d.reference)) / real(d.temperature);
    const real score = scaled + noise_of(now, static_cast<std::uint32_t>(c.of.id)) + std::log(c.factor);
    if (best.id < 0 || score > best_score) {
      if (best.id >= 0) second = std::max(second, best_score);
      best.id = c.of.id;
      best_score = score;
    } else {
      second = std::max(second, score);
    }
  }
  best.distance = (best_score - second) / std::max<real>(1, std::fabs(best_score));
  return best;
}

/// Inverse CDF in id order over m = round(2^44 exp((l - max) / T)): the first running mass above floor(word M
/// / 2^64).
inline drawn softmax_draw_with(const draw_input& d, std::uint64_t word) {
  const draw_masses m(d);
  const auto r = static_cast<std::uint64_t>(wide{word} * m.total >> 64);
  drawn result;
  std::uint64_t running = 0;
  for (std::size_t i = 0; i < m.rounded.size(); ++i) {
    running += m.rounded[i];
    if (i + 1 < m.rounded.size())
      result.distance = std::min(result.distance, std::fabs(real(running) - real(r)) / real(m.total));
    if (result.id < 0 && running > r) result.id = d.survivors.tokens[i].id;
  }
  return result;
}

}  // namespace tests::oracle
