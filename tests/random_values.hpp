// Random values of parameters.
#pragma once

#include <sluice/params.hpp>

#include <cstddef>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace tests {

inline float random_float(generator& g, double low, double high) {
  return static_cast<float>(g.uniform(low, high));
}

inline int random_window(generator& g) { return g.chance(0.4) ? -1 : g.between(0, 80); }

/// Ids of the row, and now and then one outside it.
inline std::vector<int> random_ids(generator& g, std::size_t size, std::size_t count) {
  std::vector<int> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(g.chance(0.05) ? static_cast<int>(size) + 3 : static_cast<int>(g.below(size)));
  return ids;
}

inline std::vector<sluice::token_bias> random_biases(generator& g, std::size_t size) {
  std::vector<sluice::token_bias> biases;
  for (const int id : random_ids(g, size, g.below(6)))
    biases.push_back({id, g.chance(0.1) ? minus_infinity : random_float(g, -5, 5)});
  if (g.chance(0.03)) biases.push_back({static_cast<int>(g.below(size)), plus_infinity});
  if (!biases.empty() && g.chance(0.3)) biases.push_back(biases[0]);
  return biases;
}

/// Pieces of the history, up to three tokens long.
inline std::vector<std::vector<int>> random_breakers(generator& g, const std::vector<int>& history) {
  std::vector<std::vector<int>> breakers;
  for (std::size_t i = g.below(3); i > 0 && !history.empty(); --i) {
    std::vector<int> breaker;
    const std::size_t from = g.below(history.size());
    for (std::size_t k = from; k < history.size() && k < from + 1 + g.below(3); ++k)
      breaker.push_back(history[k]);
    breakers.push_back(breaker);
  }
  return breakers;
}

}  // namespace tests
