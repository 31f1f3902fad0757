// Whole chains on every tier: the tokens and laws of the scalar one.

#include <doctest/doctest.h>

#include <sluice/sluice.hpp>
#include <vector>

#include "rows.hpp"
#include "support.hpp"
#include "tiers.hpp"

namespace {

using sluice::instruction_tier;
using tests::generator;

struct outcome {
  sluice::token_id token;
  std::vector<sluice::candidate> law;
};

outcome sampled_on(instruction_tier tier, const sluice::sampling_params& p, const std::vector<float>& row) {
  REQUIRE(sluice::force_tier(tier));
  sluice::sampler sampler(p);
  sampler.accept(std::vector<sluice::token_id>{1, 2, 1, 2, 0});
  const sluice::token_id token = sampler.sample(row).token;
  const auto law = sampler.distribution(row);
  return {token, {law.begin(), law.end()}};
}

}  // namespace

TIER_CASE("chains draw the tokens of the scalar tier, from the same laws") {
  generator g(61);
  const instruction_tier best = sluice::detail::best_tier();
  for (std::size_t i = 0; i < tests::scaled(20'000); ++i) {
    const std::size_t size = i % 50 == 0 ? 20'000 + g.below(20'000) : 1 + g.below(1500);
    const std::vector<float> row = tests::make_row(g, g.pick(tests::all_shapes), size);
    sluice::sampling_params p;
    p.seed = g.next();
    p.temperature = static_cast<float>(g.uniform(0.2, 2));
    if (g.chance(0.3)) p.top_n_sigma = 2;
    if (g.chance(0.2)) p.p_less = true;
    if (g.chance(0.3)) p.typical_p = static_cast<float>(g.uniform(0.1, 1));
    if (g.chance(0.4)) p.top_k = g.between(1, 100);
    if (g.chance(0.4)) p.top_p = static_cast<float>(g.uniform());
    if (g.chance(0.3)) p.min_p = static_cast<float>(g.uniform(0, 0.3));
    if (g.chance(0.2)) p.xtc_probability = 0.5f;
    if (g.chance(0.2)) p.scatter_strength = 0.3f;
    if (g.chance(0.2)) p.dynatemp_range = 0.3f;
    if (g.chance(0.2)) p.repetition_penalty = 1.3f, p.repetition_normalized = g.chance(0.5);
    if (g.chance(0.2)) p.draw = sluice::draw_method::softmax;
    const outcome plain = sampled_on(instruction_tier::scalar, p, row);
    INFO(tests::to_text(row));
    const outcome vectors = sampled_on(tested, p, row);
    REQUIRE(vectors.token == plain.token);
    REQUIRE(vectors.law.size() == plain.law.size());
    for (std::size_t c = 0; c < plain.law.size(); ++c) {
      REQUIRE(vectors.law[c].id == plain.law[c].id);
      REQUIRE(vectors.law[c].probability == plain.law[c].probability);
    }
  }
  sluice::force_tier(best);
}
