#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "random_params.hpp"

namespace {

using tests::generator;
using tests::minus_infinity;
using tests::not_a_number;
using tests::plus_infinity;

/// Some tokens of the row become NaN, -inf or +inf; up to all of them.
void spoil(generator& g, std::vector<float>& row) {
  const double nan = g.chance(0.5) ? g.uniform() : 0;
  const double low = g.chance(0.5) ? g.uniform() : 0;
  const double high = g.chance(0.2) ? g.uniform(0, 0.1) : 0;
  for (float& l : row) {
    if (g.chance(high)) l = plus_infinity;
    if (g.chance(low)) l = minus_infinity;
    if (g.chance(nan)) l = g.chance(0.5) ? not_a_number : -not_a_number;
  }
}

}  // namespace

TEST_CASE("rows with NaN, -inf and +inf give the oracle's law, token and saw_nan") {
  generator g(50);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    spoil(g, t.logits);
    compare(t);
  }
  tests::check_report(compare.report());
}

TEST_CASE("a +inf removes every other token and is a logit of 0 to all later stages") {
  // Two +inf share the draw; a presence penalty of 1 on one of them makes it e^-1 against 1.
  tests::trial t;
  t.logits = {3, plus_infinity, 100, plus_infinity, not_a_number, minus_infinity};
  t.generated = {1};
  t.params.presence_penalty = 1;
  const auto left = take(t).left;
  REQUIRE(left.size() == 2);
  CHECK(left[0].id == 3);
  CHECK(left[0].logit == 0);
  CHECK(left[1].id == 1);
  CHECK(left[1].logit == -1);
  CHECK(left[0].probability == doctest::Approx(1 / (1 + std::exp(-1.0))));
}

TEST_CASE("-inf beats +inf: a banned token stays banned whatever its logit and other biases") {
  tests::trial t;
  t.logits = {1, plus_infinity, 2};
  t.params.logit_bias = {{1, minus_infinity}, {2, plus_infinity}};
  t.call_bias = {{2, minus_infinity}};
  CHECK(take(t).drawn.token == 0);
}

TEST_CASE("a +inf bias forces its token, but not a token that is absent") {
  sluice::sampling_params p;
  p.logit_bias = {{1, plus_infinity}};
  CHECK(tests::take(p, {9, 1, 2}).drawn.token == 1);
  CHECK(tests::take(p, {9, minus_infinity, minus_infinity}).drawn.token == 0);
  const sluice::sample_result result = tests::take(p, {9, not_a_number, minus_infinity}).drawn;
  CHECK(result.token == 0);
  CHECK(result.saw_nan);
}

TEST_CASE("a NaN bias of a call is invalid_bias, one of the request a problem") {
  tests::trial t;
  t.logits = {1, 2};
  t.call_bias = {{0, not_a_number}};
  CHECK(take(t).drawn.status == sluice::sample_status::invalid_bias);
  CHECK(take(t).drawn.token == sluice::no_token);
  CHECK(take(t).left.empty());
  t.params.logit_bias = t.call_bias;
  CHECK(tests::check(t.params));
}

TEST_CASE("saw_nan tells of NaN that the mask allows, whatever the status and the bias") {
  tests::trial t;
  t.logits = {not_a_number, 1, not_a_number};
  CHECK(take(t).drawn.saw_nan);
  t.mask = {0b010};
  CHECK_FALSE(take(t).drawn.saw_nan);
  t.mask = {0b011};
  CHECK(take(t).drawn.saw_nan);
  t.mask = {};
  t.call_bias = {{0, minus_infinity}, {2, minus_infinity}};
  CHECK(take(t).drawn.saw_nan);
  const sluice::sample_result nothing = tests::take({}, std::vector<float>(5, not_a_number)).drawn;
  CHECK(nothing.status == sluice::sample_status::no_token_left);
  CHECK(nothing.saw_nan);
}

TEST_CASE("arithmetic on finite logits saturates and removes no token") {
  constexpr float huge = std::numeric_limits<float>::max();
  tests::trial t;
  t.logits = {-huge, huge, 0};
  t.generated = {0, 1};
  t.params.logit_bias = {{0, -huge}, {1, huge}};
  t.params.repetition_penalty = 3;
  t.params.frequency_penalty = huge;
  const auto left = take(t).left;
  REQUIRE(left.size() == 3);
  CHECK(left[0].id == 2);
  CHECK(left[1].id == 1);
  CHECK(left[2].logit == -huge);
}
