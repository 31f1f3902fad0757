#pragma once

#include <array>
#include <sluice/sluice.hpp>
#include <vector>

/// What every kind of row shows in its own way; all values are exact in 16 bits.
inline constexpr std::array<float, 4> shown{1, 2, -1, 0.5f};

/// The tokens of forty positions of a row, given as one argument or as the parts of a logits_view.
template <class... Row>
std::vector<sluice::token_id> tokens_of(const Row&... row) {
  sluice::sampler sampler(sluice::sampling_params{.seed = 42, .temperature = 1.5f});
  std::vector<sluice::token_id> tokens;
  for (int i = 0; i < 40; ++i) {
    if constexpr (sizeof...(Row) == 1) tokens.push_back(sampler.next(row...).token);
    if constexpr (sizeof...(Row) > 1) tokens.push_back(sampler.next({row...}).token);
  }
  return tokens;
}
