// Random steps of whole chains, each stage on now and then.
#pragma once

#include <array>
#include <vector>

#include "compare.hpp"
#include "random_values.hpp"

namespace tests {

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
  oracle::randomise_stages(g, p, size, history);
  if (g.chance(0.3)) p.min_keep = g.between(0, 6);
  if (g.chance(0.4)) p.truncation = sluice::truncation_rule::joint;
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
