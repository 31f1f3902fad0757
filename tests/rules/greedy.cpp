#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "random_params.hpp"

namespace {

constexpr std::array cold{0.0f, -1.0f, -3e38f, 1e-38f, 1e-30f, 9.99e-6f};

}  // namespace

TEST_CASE("a temperature below 1e-5 gives the argmax of the biased and penalised row, whatever else is on") {
  tests::generator g(40);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    t.params.temperature = g.pick(cold);
    compare(t);
    CHECK(take(t).left.size() <= 1);
  }
  tests::check_report(compare.report());
}

TEST_CASE("top_k 1 gives the argmax of the biased and penalised row, whatever else is on") {
  tests::generator g(41);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    t.params.top_k = 1;
    compare(t);
    CHECK(take(t).left.size() <= 1);
  }
  tests::check_report(compare.report());
}

TEST_CASE("greedy does not look at XTC, and takes the lowest id of equal logits") {
  const std::vector<float> logits{1, 5, 5, 5, 0};
  sluice::sampling_params p;
  p.xtc_probability = 1;
  p.xtc_threshold = 0.1f;
  p.temperature = 0;
  CHECK(tests::take(p, logits).drawn.token == 1);
  p.temperature = 1;
  CHECK(tests::take(p, logits).drawn.token != 1);
}

TEST_CASE("greedy does not look at dynatemp_range") {
  tests::trial t;
  t.logits.assign(64, 1.0f);
  t.params.temperature = 0;
  t.params.dynatemp_range = 2;
  for (t.seed = 0; t.seed < 50; ++t.seed) CHECK(take(t).drawn.token == 0);
}

TEST_CASE("a repetition penalty can change the greedy token") {
  tests::trial t;
  t.logits = {2, 3, 1};
  t.params.temperature = 0;
  t.params.repetition_penalty = 2;
  CHECK(take(t).drawn.token == 1);
  t.generated = {1};
  CHECK(take(t).drawn.token == 0);
}

TEST_CASE("the floats around 1e-5 are greedy below it and not above it") {
  const std::vector<float> logits(16, 0.0f);
  sluice::sampling_params p;
  p.temperature = std::nextafter(1e-5f, 0.0f);
  CHECK(tests::take(p, logits).left.size() == 1);
  p.temperature = std::nextafter(1e-5f, 1.0f);
  CHECK(tests::take(p, logits).left.size() == 16);
}
