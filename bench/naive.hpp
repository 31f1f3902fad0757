// The sampler that most programs write for themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sluice/api.hpp>
#include <span>
#include <vector>

namespace bench {

/// An array of {id, logit, p}: sorted as far as top-k or top-p need it, softmax, cuts, softmax again at the
/// temperature, inverse CDF.
class naive_sampler {
 public:
  explicit naive_sampler(const sluice::sampling_params& params) : params_(params) {}

  /// `u` in (0, 1); an empty mask allows every token.
  sluice::token_id sample(std::span<const float> logits, std::span<const std::uint32_t> mask, double u) {
    tokens_.clear();
    for (std::size_t i = 0; i < logits.size(); ++i)
      if (mask.empty() || (mask[i / 32] >> (i % 32) & 1) != 0)
        tokens_.push_back({.id = sluice::token_id(i), .logit = logits[i]});

    const auto before = [](const sluice::candidate& a, const sluice::candidate& b) {
      return a.logit > b.logit;
    };
    const auto k = std::size_t(std::max(0, params_.top_k));
    if (k != 0 && k < tokens_.size()) {
      std::partial_sort(tokens_.begin(), tokens_.begin() + std::ptrdiff_t(k), tokens_.end(), before);
      tokens_.resize(k);
    } else if (params_.top_p < 1) {
      std::sort(tokens_.begin(), tokens_.end(), before);
    }
    if (params_.top_p < 1) {
      softmax(1);
      std::size_t kept = 0;
      for (float sum = 0; kept < tokens_.size() && sum < params_.top_p; ++kept)
        sum += tokens_[kept].probability;
      tokens_.resize(kept);
    }
    if (params_.min_p > 0) {
      const float least = top() + std::log(params_.min_p);
      std::erase_if(tokens_, [least](const sluice::candidate& c) { return c.logit < least; });
    }
    softmax(params_.temperature);
    double running = 0;
    for (const sluice::candidate& c : tokens_)
      if ((running += double(c.probability)) > u) return c.id;
    return tokens_.back().id;
  }

 private:
  float top() const {
    float max = tokens_[0].logit;
    for (const sluice::candidate& c : tokens_) max = std::max(max, c.logit);
    return max;
  }

  void softmax(float temperature) {
    const float max = top();
    float sum = 0;
    for (sluice::candidate& c : tokens_) sum += c.probability = std::exp((c.logit - max) / temperature);
    for (sluice::candidate& c : tokens_) c.probability /= sum;
  }

  sluice::sampling_params params_;
  std::vector<sluice::candidate> tokens_;
};

}  // namespace bench
