// The oracle's scatter, complete: gate, medium, diffusion, adaptive strength, absorption, write-back.
#pragma once

#include "oracle_edits.hpp"

namespace tests::oracle {

struct scatter_settings {
  float strength = 0, radius = 2.5f;
  int k = 64, steps = 1;
  bool adaptive = false;
  float strength_min = 0.02f, strength_max = 0.30f, entropy_target = 0.55f;
  float absorption = 0, collision = 1;
  int absorption_last_n = 64;

  bool active() const {
    return (strength > 0 || adaptive || absorption > 0) && k > 1 && radius > 0 && steps > 0 && collision > 0;
  }
};

inline std::vector<real> normalised(std::vector<real> p) {
  real sum = 0;
  for (const real x : p) sum += x;
  for (real& x : p) x /= sum;
  return p;
}

/// -sum p ln p / ln K
inline real normalised_entropy(const std::vector<real>& p) {
  real entropy = 0;
  for (const real x : p)
    if (x > 0) entropy -= x * std::log(x);
  return entropy / std::log(real(p.size()));
}

/// Straight lines through (0, max), (target, strength clamped to [min, max]), (1, min).
inline real adaptive_strength(real entropy, const scatter_settings& s) {
  const real low = s.strength_min;
  const real high = s.strength_max;
  const real middle = std::clamp<real>(s.strength, low, high);
  const real target = s.entropy_target;
  return entropy <= target ? high + (middle - high) * entropy / target
                           : middle + (low - middle) * (entropy - target) / (1 - target);
}

/// q_i = sum_j K_ij p_j / sum_j K_ij, then (1 - s) p + s q; not normalised. kernel[d] is e^(-d^2 / (2
/// radius^2)).
inline std::vector<real> diffused(const std::vector<real>& p, const std::vector<real>& kernel,
                                  real strength) {
  std::vector<real> result(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    real weighted = 0;
    real weights = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const real k = kernel[i > j ? i - j : j - i];
      weighted += k * p[j];
      weights += k;
    }
    result[i] = (1 - strength) * p[i] + strength * weighted / weights;
  }
  return result;
}

inline void scatter(row& r, const history& h, const scatter_settings& s, double coin) {
  if (!s.active() || !(coin < double(s.collision))) return;
  std::vector<token> medium = ranked(r);
  medium.resize(std::min(medium.size(), static_cast<std::size_t>(s.k)));
  if (medium.size() == 1) return keep_prefix(r, medium, 1);

  std::vector<real> p;
  for (const token& t : medium) p.push_back(exponential_of_gap(t.logit, medium[0].logit));
  p = normalised(p);
  const real strength = s.adaptive ? adaptive_strength(normalised_entropy(p), s) : real(s.strength);
  std::vector<real> kernel;
  for (std::size_t d = 0; d < p.size(); ++d)
    kernel.push_back(std::exp(-real(d) * real(d) / (2 * real(s.radius) * real(s.radius))));
  for (int step = 0; step < s.steps; ++step) p = normalised(diffused(p, kernel, strength));
  for (std::size_t i = 1; i < p.size(); ++i) p[i] = std::min(p[i], p[i - 1]);

  if (s.absorption > 0) {
    const std::map<int, int> count = counts(h, s.absorption_last_n, counted::everything);
    struct weighed {
      token of;
      int seen;
      real p;
    };
    std::vector<weighed> all;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto found = count.find(medium[i].id);
      const int seen = found == count.end() ? 0 : found->second;
      all.push_back({medium[i], seen, p[i] * std::exp(-real(s.absorption) * seen)});
    }
    // Equal masses stay in the order that they had.
    std::sort(all.begin(), all.end(), [](const weighed& a, const weighed& b) {
      return a.p != b.p ? a.p > b.p : ranks_before(a.of, b.of);
    });
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = i; j > 0 && all[j - 1].p <= all[i].p * (1 + 1e-6L); --j)
        if (all[j - 1].seen != all[i].seen) r.judged(all[j - 1].p, all[i].p, all[i].p);
      medium[i] = all[i].of;
      p[i] = all[i].p;
    }
    p = normalised(p);
  }

  for (std::size_t i = 0; i < p.size(); ++i) {
    float l = static_cast<float>(std::log(std::max<real>(p[i], std::numeric_limits<float>::min())));
    if (i > 0) {
      const token& before = medium[i - 1];
      l = std::min(l, before.logit);
      if (l == before.logit && medium[i].id < before.id)
        l = std::nextafter(l, -std::numeric_limits<float>::infinity());
    }
    medium[i].logit = l;
  }
  keep_prefix(r, medium, medium.size());
}

}  // namespace tests::oracle
