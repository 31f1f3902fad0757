// sort, select, rejection, and a mask of the survivors followed by the draw alone: the same token.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <sluice/sluice.hpp>
#include <string>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace {

using tests::generator;

constexpr std::array engines{sluice::truncation_engine::sort, sluice::truncation_engine::select,
                             sluice::truncation_engine::rejection};

std::vector<float> tied_row(generator& g, tests::shape shape, std::size_t size) {
  std::vector<float> row = tests::make_row(g, shape, size);
  if (g.chance(0.1))
    for (float& l : row) l *= 1e-39f;  // subnormal logits
  if (g.chance(0.1)) row[g.below(size)] = -0.0f;
  return row;
}

/// Cuts of every kind, often tight.
sluice::sampling_params random_cuts(generator& g, std::size_t size) {
  sluice::sampling_params p;
  p.seed = g.next();
  p.temperature = g.chance(0.4) ? 1.0f : static_cast<float>(g.uniform(0.1, 3));
  if (g.chance(0.5)) p.top_k = g.between(1, static_cast<int>(size) + 2);
  if (g.chance(0.8))
    p.top_p = static_cast<float>(g.chance(0.5) ? static_cast<double>(g.below(21)) / 20 : g.uniform());
  if (g.chance(0.4)) p.min_p = static_cast<float>(g.uniform(0, 0.4));
  if (g.chance(0.2)) p.min_keep = g.between(0, 5);
  if (g.chance(0.2)) p.typical_p = static_cast<float>(g.uniform(0.05, 1));
  if (g.chance(0.2)) p.top_n_sigma = static_cast<float>(g.uniform(0.2, 3));
  if (g.chance(0.1)) p.p_less = true;
  if (g.chance(0.1)) p.xtc_probability = 0.5f, p.xtc_threshold = static_cast<float>(g.uniform(0, 0.4));
  if (g.chance(0.1)) p.scatter_strength = 0.3f;
  if (g.chance(0.1)) p.dynatemp_range = 0.5f;
  p.truncation = g.chance(0.5) ? sluice::truncation_rule::joint : sluice::truncation_rule::sequential;
  p.draw = g.chance(0.5) ? sluice::draw_method::gumbel : sluice::draw_method::softmax;
  return p;
}

/// Filters alone leave logits as they are, so masking what they removed and drawing must give the same token.
/// The reference of the noise is the maximum before the filters: a filter that removes it shows in the
/// difference.
sluice::sample_result mask_then_draw(const sluice::sampling_params& p, const std::vector<float>& row,
                                     const std::vector<sluice::candidate>& survivors) {
  std::vector<float> masked(row.size(), tests::minus_infinity);
  for (const sluice::candidate& c : survivors) masked[static_cast<std::size_t>(c.id)] = c.logit;
  sluice::sampling_params draw_only;
  draw_only.seed = p.seed;
  draw_only.temperature = p.temperature;
  draw_only.draw = p.draw;
  return sluice::sampler(draw_only).sample(masked);
}

void engines_agree(generator& g, tests::shape shape, std::size_t size, std::size_t& checked) {
  const std::vector<float> row = tied_row(g, shape, size);
  sluice::sampling_params p = random_cuts(g, size);
  std::array<sluice::sample_result, 3> drawn;
  std::array<std::vector<sluice::candidate>, 3> laws;
  for (std::size_t e = 0; e < engines.size(); ++e) {
    p.engine = engines[e];
    sluice::sampler sampler(p);
    drawn[e] = sampler.sample(row);
    const auto law = sampler.distribution(row);
    laws[e].assign(law.begin(), law.end());
  }
  INFO(tests::to_text(row) << " top_k " << p.top_k << " top_p " << p.top_p << " min_p " << p.min_p
                           << " min_keep " << p.min_keep << " typical_p " << p.typical_p << " T "
                           << p.temperature << " joint " << (p.truncation == sluice::truncation_rule::joint)
                           << " softmax " << (p.draw == sluice::draw_method::softmax) << " seed " << *p.seed);
  REQUIRE(drawn[0]);
  REQUIRE(drawn[1].token == drawn[0].token);
  REQUIRE(drawn[2].token == drawn[0].token);
  for (std::size_t e = 1; e < engines.size(); ++e) {
    REQUIRE(laws[e].size() == laws[0].size());
    for (std::size_t i = 0; i < laws[0].size(); ++i) {
      REQUIRE(laws[e][i].id == laws[0][i].id);
      REQUIRE(laws[e][i].probability == laws[0][i].probability);
    }
  }
  const auto has = [&](sluice::token_id token) {
    return std::any_of(laws[0].begin(), laws[0].end(), [&](const auto& c) { return c.id == token; });
  };
  REQUIRE(has(drawn[0].token));
  // Scatter reshapes, dynamic temperature reads the survivors, and where the best token was removed the
  // reference differs: the masked row then has another one.
  const bool same_reference =
      p.draw == sluice::draw_method::softmax || laws[0][0].logit == *std::max_element(row.begin(), row.end());
  if (p.scatter_strength == 0 && p.dynatemp_range == 0 && p.top_k != 1 && same_reference) {
    ++checked;
    REQUIRE(mask_then_draw(p, row, laws[0]).token == drawn[0].token);
  }
}

}  // namespace

TEST_CASE("sort, select, rejection and mask-then-draw give the same token on short rows with heavy ties") {
  generator g(11);
  std::size_t checked = 0;
  const std::size_t rows = tests::long_run() ? 200'000 : tests::scaled(80'000);
  for (std::size_t i = 0; i < rows; ++i)
    engines_agree(g, g.pick(tests::every_shape), 1 + g.below(i % 16 == 0 ? 1024 : 400), checked);
  CHECK(checked > rows / 2);
}

TEST_CASE("sort, select, rejection and mask-then-draw give the same token on rows of 262,144") {
  generator g(12);
  std::size_t checked = 0;
  const std::size_t all = 50 * tests::every_shape.size();
  const std::size_t rows = tests::long_run() ? all : tests::scaled(all) / 5;
  for (std::size_t i = 0; i < rows; ++i)
    engines_agree(g, tests::every_shape[i % tests::every_shape.size()], 262'144, checked);
  CHECK(checked >= rows / 3);
}

TEST_CASE("the engines see the same NaN and infinities") {
  generator g(13);
  for (std::size_t i = 0; i < tests::scaled(10'000); ++i) {
    std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 1 + g.below(600));
    for (float& l : row) {
      if (g.chance(0.1)) l = tests::not_a_number;
      if (g.chance(0.1)) l = tests::minus_infinity;
    }
    const bool forced = g.chance(0.2);
    if (forced) row[g.below(row.size())] = tests::plus_infinity;
    for (const auto draw : {sluice::draw_method::gumbel, sluice::draw_method::softmax}) {
      sluice::sampling_params p;
      p.seed = i;
      p.top_p = 0.9f;
      p.min_p = 0.01f;
      p.draw = draw;
      std::array<sluice::sample_result, 3> drawn;
      for (std::size_t e = 0; e < engines.size(); ++e) {
        p.engine = engines[e];
        drawn[e] = sluice::sampler(p).sample(row);
      }
      INFO(tests::to_text(row));
      if (forced) {
        REQUIRE(drawn[0]);
        REQUIRE(row[static_cast<std::size_t>(drawn[0].token)] == tests::plus_infinity);
      }
      for (std::size_t e = 1; e < engines.size(); ++e) {
        REQUIRE(drawn[e].token == drawn[0].token);
        REQUIRE(drawn[e].status == drawn[0].status);
        REQUIRE(drawn[e].saw_nan == drawn[0].saw_nan);
      }
    }
  }
}
