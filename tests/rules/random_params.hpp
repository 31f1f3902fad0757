// Random parameters of a whole chain, each stage on now and then, and random steps for them.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare.hpp"

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

inline void random_penalties(generator& g, sluice::sampling_params& p, const std::vector<int>& history) {
  if (g.chance(0.3)) p.repetition_penalty = random_float(g, 0.7, 2);
  if (g.chance(0.3)) p.frequency_penalty = random_float(g, -1, 1);
  if (g.chance(0.3)) p.presence_penalty = random_float(g, -1, 2);
  p.penalty_last_n = random_window(g);
  p.repetition_normalized = g.chance(0.3);
  p.occurrence_counts_prompt = g.chance(0.7);
  if (!g.chance(0.3)) return;
  p.dry_multiplier = random_float(g, -0.5, 2);
  p.dry_base = g.chance(0.1) ? 1.0f : random_float(g, 0.95, 2.5);
  p.dry_allowed_length = g.between(0, 4);
  p.dry_penalty_last_n = random_window(g);
  for (std::size_t i = g.below(3); i > 0 && !history.empty(); --i) {
    std::vector<int> breaker;
    const std::size_t from = g.below(history.size());
    for (std::size_t k = from; k < history.size() && k < from + 1 + g.below(3); ++k)
      breaker.push_back(history[k]);
    p.dry_sequence_breakers.push_back(breaker);
  }
}

inline void random_filters(generator& g, sluice::sampling_params& p, std::size_t size) {
  if (g.chance(0.15)) p.top_n_sigma = random_float(g, 0.2, 3);
  if (g.chance(0.1)) p.p_less = true;
  if (g.chance(0.15)) p.typical_p = random_float(g, 0.05, 1);
  if (g.chance(0.3)) p.top_k = static_cast<int>(g.below(g.chance(0.5) ? 60 : size + 5));
  if (g.chance(0.35)) p.top_p = g.chance(0.05) ? 0.0f : random_float(g, 0.05, 1);
  if (g.chance(0.3)) p.min_p = g.chance(0.05) ? 1.0f : random_float(g, 0.001, 0.5);
  if (g.chance(0.3)) p.min_keep = g.between(0, 6);
  if (g.chance(0.4)) p.truncation = sluice::truncation_rule::joint;
  if (g.chance(0.3)) {
    p.xtc_probability = g.chance(0.2) ? 1.0f : random_float(g, 0, 1);
    p.xtc_threshold = g.chance(0.1) ? 0.0f : random_float(g, 0, 0.52);
    p.xtc_protected = random_ids(g, size, g.below(3));
  }
}

inline void random_scatter(generator& g, sluice::sampling_params& p) {
  if (!g.chance(0.25)) return;
  if (g.chance(0.8)) p.scatter_strength = random_float(g, 0, 1);
  p.scatter_radius = random_float(g, 0.2, 6);
  p.scatter_k = g.between(1, 100);
  p.scatter_steps = g.between(1, 3);
  p.scatter_adaptive = g.chance(0.4);
  p.scatter_strength_min = random_float(g, 0, 0.2);
  p.scatter_strength_max = random_float(g, 0.2, 0.6);
  p.scatter_entropy_target = random_float(g, 0.1, 0.9);
  if (g.chance(0.3)) p.scatter_absorption = random_float(g, 0, 0.5);
  p.scatter_absorption_last_n = random_window(g);
  if (g.chance(0.3)) p.scatter_collision = random_float(g, 0, 1);
}

inline void random_temperature(generator& g, sluice::sampling_params& p) {
  constexpr std::array cold{0.0f, -1.0f, 1e-6f, 9.9e-6f};
  if (g.chance(0.6)) p.temperature = random_float(g, 0.2, 2.5);
  if (g.chance(0.07)) p.temperature = g.pick(cold);
  if (g.chance(0.2)) {
    p.dynatemp_range = random_float(g, 0, 2);
    p.dynatemp_exponent = random_float(g, 0.3, 3);
  }
}

/// A step with everything random; engines and draws alike.
inline trial random_trial(generator& g) {
  constexpr std::array engines{sluice::truncation_engine::automatic, sluice::truncation_engine::sort,
                               sluice::truncation_engine::select, sluice::truncation_engine::rejection};
  trial t;
  const std::size_t size = random_size(g);
  t.logits = make_row(g, g.pick(all_shapes), size);
  t.seed = g.next();
  t.start = g.chance(0.5) ? 0 : g.next() >> g.below(64);
  if (g.chance(0.2)) t.by = door::sparse;
  t.prompt = make_history(g, size, g.below(40));
  t.generated = make_history(g, size, g.below(60));
  std::vector<int> history = t.prompt;
  history.insert(history.end(), t.generated.begin(), t.generated.end());

  sluice::sampling_params& p = t.params;
  random_penalties(g, p, history);
  random_filters(g, p, size);
  random_scatter(g, p);
  random_temperature(g, p);
  p.xtc_marginal = g.chance(0.3) && p.dynatemp_range == 0 && p.scatter_strength == 0 && !p.scatter_adaptive &&
                   p.scatter_absorption == 0;
  p.engine = g.pick(engines);
  if (g.chance(0.3)) p.draw = sluice::draw_method::softmax;

  if (g.chance(0.3)) p.logit_bias = random_biases(g, size);
  if (g.chance(0.3)) p.language_bias = random_biases(g, size);
  if (g.chance(0.2)) p.suppressed_tokens = random_ids(g, size, g.below(4));
  if (g.chance(0.2)) t.call_bias = random_biases(g, size);
  if (g.chance(0.3)) {
    t.mask.resize(g.chance(0.2) ? 1 + g.below((size + 31) / 32) : (size + 31) / 32 + g.below(2));
    for (std::uint32_t& word : t.mask) {
      word = static_cast<std::uint32_t>(g.next());
      if (g.chance(0.3)) word = g.chance(0.5) ? 0u : ~0u;
    }
  }
  return t;
}

}  // namespace tests
