#include "eigen.hpp"

#include <Eigen/Core>
#include <cmath>
#include <iterator>

namespace bench {
namespace {

using row = Eigen::Map<const Eigen::ArrayXf>;

row view(std::span<const float> logits) { return row(logits.data(), Eigen::Index(logits.size())); }

/// Inverse CDF: by segments first, then inside one.
sluice::token_id draw(const Eigen::ArrayXf& weights, double u) {
  constexpr Eigen::Index step = 256;
  double left = u * double(weights.sum());
  Eigen::Index i = 0;
  for (; i + step < weights.size(); i += step) {
    const double sum = double(weights.segment(i, step).sum());
    if (sum > left) break;
    left -= sum;
  }
  for (; i + 1 < weights.size(); ++i)
    if ((left -= double(weights[i])) < 0) break;
  return sluice::token_id(i);
}

/// Kept between calls, as an engine would.
Eigen::ArrayXf& weights_of(Eigen::Index size) {
  static Eigen::ArrayXf weights;
  weights.resize(size);
  return weights;
}

sluice::token_id greedy(std::span<const float> logits, float, double) {
  Eigen::Index best = 0;
  view(logits).maxCoeff(&best);
  return sluice::token_id(best);
}

sluice::token_id temperature(std::span<const float> logits, float t, double u) {
  const row l = view(logits);
  Eigen::ArrayXf& weights = weights_of(l.size());
  weights = ((l - l.maxCoeff()) / t).exp();
  return draw(weights, u);
}

/// Tokens at or above `least`.
sluice::token_id draw_above(const row& l, float max, float least, float t, double u) {
  Eigen::ArrayXf& weights = weights_of(l.size());
  weights = (l >= least).select(((l - max) / t).exp(), 0.0f);
  return draw(weights, u);
}

sluice::token_id min_p(std::span<const float> logits, float t, double u) {
  const row l = view(logits);
  const float max = l.maxCoeff();
  return draw_above(l, max, max + std::log(0.05f), t, u);
}

sluice::token_id top_n_sigma(std::span<const float> logits, float t, double u) {
  const row l = view(logits);
  const float max = l.maxCoeff();
  const float deviation = std::sqrt((l - l.mean()).square().mean());
  return draw_above(l, max, max - deviation, t, u);
}

sluice::token_id p_less(std::span<const float> logits, float t, double u) {
  const row l = view(logits);
  Eigen::ArrayXf& weights = weights_of(l.size());
  weights = ((l - l.maxCoeff()) / t).exp();
  const float least = weights.square().sum() / weights.sum();
  weights = (weights >= least).select(weights, 0.0f);
  return draw(weights, u);
}

constexpr eigen_entry entries[] = {{"greedy", greedy},
                                   {"temperature", temperature},
                                   {"min_p", min_p},
                                   {"top_n_sigma", top_n_sigma},
                                   {"p_less", p_less}};

}  // namespace

std::span<const eigen_entry> eigen_entries() { return entries; }

}  // namespace bench
