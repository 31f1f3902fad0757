// The oracle's feedback samplers, from the law that the chain has without them.
#pragma once

#include <sluice/params.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "oracle_chain.hpp"

namespace tests::oracle {

/// What has been fed back so far.
struct feedback {
  bool has_mu = false, has_sums = false;
  real mu = 0, sum = 0, weight = 0;
};

/// What is drawn from, and what accepting a token of it makes of the state.
struct steered {
  outcome from;
  std::map<int, feedback> after;
  real distance = infinite;  // of the nearest decision to its cut
};

/// The parameters that mirostat looks at.
inline sluice::sampling_params beside_mirostat(const sluice::sampling_params& p) {
  sluice::sampling_params left;
  left.temperature = p.temperature;
  left.dynatemp_range = p.dynatemp_range;
  left.dynatemp_exponent = p.dynatemp_exponent;
  left.logit_bias = p.logit_bias;
  left.language_bias = p.language_bias;
  left.suppressed_tokens = p.suppressed_tokens;
  left.min_tokens = p.min_tokens;
  left.end_tokens = p.end_tokens;
  left.draw = p.draw;
  return left;
}

/// How many of the ranked tokens version 1 keeps. `edge`: how near k came to another number.
inline std::size_t kept_by_version_1(const std::vector<chance>& ranked, real mu, real& edge) {
  const std::size_t n = ranked.size();
  real products = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < std::min<std::size_t>(100, n); ++i) {
    const real t = std::log(real(i + 2) / real(i + 1));
    products += t * std::log(ranked[i].probability / ranked[i + 1].probability);
    squares += t * t;
  }
  if (n < 2) return n;
  const real s = products / squares;
  const real k = std::pow((s - 1) * std::exp2(mu) / (1 - std::pow(real(n), -(s - 1))), 1 / s);
  if (!std::isfinite(k)) return n;
  edge = std::min(edge, std::fabs(k - std::round(k)) / std::max<real>(1, k));
  return static_cast<std::size_t>(std::clamp<real>(std::floor(k), 1, real(n)));
}

inline steered steer_by_mirostat(const sluice::sampling_params& p, const situation& given,
                                 const feedback& state) {
  steered result{.from = run(beside_mirostat(p), given), .after = {}};
  if (result.from.empty()) return result;
  std::vector<chance> law = oracle::law(result.from.input, sluice::draw_method::gumbel);
  result.distance = result.from.distance;
  const real mu = state.has_mu ? state.mu : 2 * real(p.mirostat_tau);
  std::size_t kept = 1;
  if (p.mirostat == 1) {
    kept = kept_by_version_1(law, mu, result.distance);
  } else {
    while (kept < law.size() && -std::log2(law[kept].probability) <= mu) ++kept;
    for (const chance& c : law)
      result.distance = std::min(result.distance, std::fabs(-std::log2(c.probability) - mu));
  }
  law.resize(kept);
  row left;
  real mass = 0;
  for (const chance& c : law) {
    left.tokens.push_back(c.of);
    mass += c.probability;
  }
  std::sort(left.tokens.begin(), left.tokens.end(), [](token a, token b) { return a.id < b.id; });
  for (const chance& c : law) {
    const real surprise = -std::log2(c.probability / mass);
    feedback next = state;
    next.has_mu = true;
    next.mu = mu - real(p.mirostat_eta) * (surprise - real(p.mirostat_tau));
    result.after[c.of.id] = next;
  }
  result.from.input.survivors = left;
  result.from.law = oracle::law(result.from.input, p.draw);
  return result;
}

inline steered steer_by_adaptive_p(const sluice::sampling_params& p, const situation& given,
                                   const feedback& state) {
  sluice::sampling_params without = p;
  without.adaptive_target = -1;
  steered result{.from = run(without, given), .after = {}};
  if (result.from.empty()) return result;
  result.distance = result.from.distance;
  const real target = p.adaptive_target, decay = p.adaptive_decay;
  const real sum = state.has_sums ? state.sum : target / (1 - decay);
  const real weight = state.has_sums ? state.weight : 1 / (1 - decay);
  const real aim = std::clamp<real>(2 * target - sum / weight, 0, 1);
  row shaped;
  for (const chance& c : oracle::law(result.from.input, sluice::draw_method::gumbel)) {
    const real d = std::fabs(c.probability - aim) / 0.3L;
    shaped.tokens.push_back({c.of.id, saturated(5 - 10 * d * d / (1 + d))});
    feedback next = state;
    next.has_sums = true;
    next.sum = c.probability + decay * sum;
    next.weight = 1 + decay * weight;
    result.after[c.of.id] = next;
  }
  std::sort(shaped.tokens.begin(), shaped.tokens.end(), [](token a, token b) { return a.id < b.id; });
  const float reference = shaped.max();
  result.from.input = {shaped, 1, reference, {}};
  result.from.law = oracle::law(result.from.input, p.draw);
  return result;
}

inline steered steer(const sluice::sampling_params& p, const situation& given, const feedback& state) {
  return p.mirostat != 0 ? steer_by_mirostat(p, given, state) : steer_by_adaptive_p(p, given, state);
}

}  // namespace tests::oracle
