// The oracle's filters: top-n-sigma, p-less, top-h, typical-p, top-k, top-p, min-p.
#pragma once

#include "oracle_row.hpp"

namespace tests::oracle {

/// Keeps l >= cut. Tokens at the maximum are kept whatever the cut: they decide nothing.
inline void keep_at_least(row& r, real cut, real scale) {
  const float max = r.max();
  std::vector<token> kept;
  for (const token& t : r.tokens) {
    if (t.logit != max) r.judged(t.logit, cut, scale);
    if (t.logit == max || t.logit >= cut) kept.push_back(t);
  }
  r.tokens = kept;
}

/// Keep l >= max - n sigma, sigma the population standard deviation of the survivors.
inline void top_n_sigma(row& r, float n) {
  if (n <= 0 || r.is_constant()) return;
  real sum = 0;
  for (const token& t : r.tokens) sum += t.logit;
  const real mean = sum / real(r.size());
  real squares = 0;
  for (const token& t : r.tokens) squares += (t.logit - mean) * (t.logit - mean);
  const real deviation = std::sqrt(squares / real(r.size()));
  keep_at_least(r, r.max() - real(n) * deviation, real(n) * deviation);
}

/// Keep q >= sum q^2, q = softmax(l / T).
inline void p_less(row& r, float temperature) {
  if (r.is_constant()) return;
  const real max = r.max();
  if (temperature <= 0) return keep_at_least(r, max, 1);
  const real t = temperature;
  real ones = 0;
  real squares = 0;
  for (const token& x : r.tokens) ones += std::exp((x.logit - max) / t);
  for (const token& x : r.tokens) squares += std::exp(2 * (x.logit - max) / t);
  const real cut = max + t * (std::log(squares) - std::log(ones));
  keep_at_least(r, cut, max - cut + t);
}

/// Keep the longest prefix of the ranking with H <= h H(p), H of the masses of a prefix. A sum of masses
/// decides where it differs from its cut by more than their rounding; where every mass is exact and no
/// entropy is left, it decides.
inline void top_h(row& r, float h) {
  if (h <= 0 || h >= 1 || r.size() == 0) return;
  const std::vector<token> order = ranked(r);
  const masses m = masses_of(order);
  const real max = order[0].logit;
  std::vector<real> entropy;
  real mass = 0;
  real weighted = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    mass += real(m.of[i]);
    weighted += real(m.of[i]) * (real(order[i].logit) - max);
    entropy.push_back(std::log(std::ldexp(mass, -44)) - weighted / mass);
  }
  const real cut = real(h) * entropy.back();
  std::size_t count = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool decides = i > 0 && m.of[i] > 0;
    if (decides) r.judged(entropy[i], cut, cut > 1e-8L ? cut : 1);
    if (entropy[i] <= cut) count = i + 1;
  }
  keep_prefix(r, order, count);
}

/// Order by d = |l - sum p l|, ties by rank; keep the shortest prefix with mass >= tau.
inline void typical_p(row& r, float tau, int min_keep) {
  if (tau >= 1) return;
  const float max = r.max();
  real weights = 0;
  real weighted = 0;  // of l - max
  for (const token& t : r.tokens) weights += exponential_of_gap(t.logit, max);
  for (const token& t : r.tokens) weighted += exponential_of_gap(t.logit, max) * (real(t.logit) - max);
  const real center = weighted / weights;
  const auto d = [&](const token& t) { return std::fabs(real(t.logit) - max - center); };
  std::vector<token> order = r.tokens;
  std::sort(order.begin(), order.end(),
            [&](token a, token b) { return d(a) != d(b) ? d(a) < d(b) : ranks_before(a, b); });
  std::size_t count = prefix_with_mass(r, order, tau);
  count = std::max(count, std::min(order.size(), static_cast<std::size_t>(std::max(min_keep, 0))));
  // Two tokens of different logits and nearly the same d could change places across the end of the prefix.
  for (std::size_t i = count < 2 ? 1 : count - 1; i <= count && i < order.size(); ++i)
    if (order[i - 1].logit != order[i].logit) r.judged(d(order[i]), d(order[i - 1]), std::fabs(center));
  keep_prefix(r, order, count);
}

// Top-k, top-p and min-p keep a prefix of the ranking: each says how long it is.

inline std::size_t at_least(std::size_t count, int min_keep, std::size_t size) {
  return std::min(size, std::max(count, static_cast<std::size_t>(std::max(min_keep, 0))));
}

inline std::size_t top_k_count(const row& r, int k) {
  return k <= 0 ? r.size() : std::min(r.size(), static_cast<std::size_t>(k));
}

inline std::size_t top_p_count(row& r, float p, int min_keep) {
  if (p >= 1) return r.size();
  return at_least(prefix_with_mass(r, ranked(r), p), min_keep, r.size());
}

inline std::size_t min_p_count(row& r, float p, int min_keep) {
  if (p <= 0) return r.size();
  const real cut = r.max() + std::log(real(p));
  std::size_t count = 0;
  for (const token& t : r.tokens) {
    if (p < 1) r.judged(t.logit, cut, std::max<real>(1, std::fabs(std::log(real(p)))));
    if (t.logit >= cut) ++count;
  }
  return at_least(count, min_keep, r.size());
}

}  // namespace tests::oracle
