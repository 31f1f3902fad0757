#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "library.hpp"

// Filters read the row before temperature, and the draw is from what they leave.

using namespace tests::statistics;

namespace {

const row_to_draw row_of_four{{std::log(0.5f), std::log(0.3f), std::log(0.15f), std::log(0.05f)}};

/// top-p .9 leaves the first three, whatever T is.
std::vector<double> law_after_top_p(float temperature) {
  row_to_draw kept = row_of_four;
  kept.logits[3] = tests::minus_infinity;
  return law_of(kept, temperature);
}

bool has_law_of_top_p(const sluice::sampling_params& p) {
  const library_chain chain(p);
  const auto counts = counts_of(4, tests::scaled(200'000), [&](std::uint64_t position) {
    return chain.sample(row_of_four, 101, position);
  });
  return fits(counts, law_after_top_p(p.temperature));
}

}  // namespace

TEST_CASE("top-p .9 and a temperature have the law of three tokens, with every engine and draw") {
  using sluice::truncation_engine;
  for (const float temperature : {0.5f, 1.0f, 2.0f}) {
    CAPTURE(temperature);
    for (const auto draw : {sluice::draw_method::gumbel, sluice::draw_method::softmax}) {
      for (const auto engine : {truncation_engine::automatic, truncation_engine::sort,
                                truncation_engine::select, truncation_engine::rejection}) {
        sluice::sampling_params p;
        p.top_p = 0.9f;
        p.temperature = temperature;
        p.draw = draw;
        p.engine = engine;
        CHECK(has_law_of_top_p(p));
      }
    }
  }
}

// At T = .5 two tokens hold .9, at T = 2 four do: the order shows.
TEST_CASE("the law of three tokens tells a temperature before the filter") {
  sluice::sampling_params p;
  p.top_p = 0.9f;
  for (const float temperature : {0.5f, 2.0f}) {
    p.temperature = temperature;
    p.order = "top_p;temperature";
    CHECK(has_law_of_top_p(p));
    p.order = "temperature;top_p";
    CHECK_FALSE(has_law_of_top_p(p));
  }
}

TEST_CASE("the law of three tokens tells a top-p that drops the token that crosses, or keeps one more") {
  for (const float temperature : {0.5f, 1.0f, 2.0f}) {
    sluice::sampling_params p;
    p.temperature = temperature;
    CHECK_FALSE(has_law_of_top_p(p));
    p.top_k = 3;
    CHECK(has_law_of_top_p(p));
    p.top_k = 2;
    CHECK_FALSE(has_law_of_top_p(p));
  }
}

namespace {

/// A whole chain by its definition, for rows without ties: min-p, then the nucleus, then softmax(l / T).
std::vector<double> law_of_nucleus(const row_to_draw& row, float top_p, float min_p, float temperature) {
  const std::vector<double> p = law_of(row);
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] > p[b]; });
  row_to_draw kept{std::vector<float>(p.size(), tests::minus_infinity)};
  double mass = 0;
  for (const std::size_t i : order) {
    if (mass < double(top_p) && p[i] >= double(min_p) * p[order[0]]) kept.logits[i] = row.logits[i];
    mass += p[i];
  }
  return law_of(kept, temperature);
}

}  // namespace

// .8 of the mass is 30 tokens, .82 is 34 and .95 is 104; min-p .005 leaves 77, .02 leaves 32 and .03
// leaves 24.
TEST_CASE("top-p, min-p and a temperature have the law of their definition on a long row") {
  const row_to_draw row = make_row_to_draw(form::wide, 500, 102);
  struct cut {
    float top_p, min_p;
  };
  for (const auto& [right, wrong] : {std::pair<cut, cut>{{0.8f, 0.005f}, {0.82f, 0.005f}},
                                     {{0.82f, 0.005f}, {0.8f, 0.005f}},
                                     {{0.95f, 0.02f}, {0.95f, 0.03f}},
                                     {{0.95f, 0.03f}, {0.95f, 0.02f}}}) {
    for (const float temperature : {0.7f, 1.5f}) {
      sluice::sampling_params p;
      p.top_p = right.top_p;
      p.min_p = right.min_p;
      p.temperature = temperature;
      const library_chain chain(p);
      const auto counts = counts_of(500, tests::scaled(200'000),
                                    [&](std::uint64_t position) { return chain.sample(row, 103, position); });
      CHECK(fits(counts, law_of_nucleus(row, right.top_p, right.min_p, temperature)));
      CHECK_FALSE(fits(counts, law_of_nucleus(row, wrong.top_p, wrong.min_p, temperature)));
      CHECK_FALSE(fits(counts, law_of_nucleus(row, right.top_p, right.min_p, 1.2f * temperature)));
    }
  }
}
