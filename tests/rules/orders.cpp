#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "random_params.hpp"

namespace {

using tests::generator;
using names = std::vector<std::string_view>;

/// Some of the stages, in any order. Under joint truncation the cuts stand side by side.
names random_order(generator& g, sluice::truncation_rule rule) {
  const bool joint = rule == sluice::truncation_rule::joint;
  names order;
  names group;
  for (const std::string_view name : tests::oracle::stage_names())
    if (g.chance(0.7)) (joint && tests::oracle::cuts(name) ? group : order).push_back(name);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[g.below(i)]);
  order.insert(order.begin() + std::ptrdiff_t(g.below(order.size() + 1)), group.begin(), group.end());
  return order;
}

/// In names; or in letters, where every stage has one.
std::string to_order(const names& order, bool letters) {
  std::string text;
  for (const std::string_view name : order) {
    if (letters)
      text += tests::oracle::letter_of(name);
    else
      text += std::string(name) + ";";
  }
  return text;
}

/// The coin-free XTC acts in the draw: it has the law of the coin only where nothing but temperature follows.
bool allows_marginal(const names& order) {
  const auto xtc = std::find(order.begin(), order.end(), "xtc");
  return std::all_of(xtc, order.end(),
                     [](std::string_view name) { return name == "xtc" || name == "temperature"; });
}

}  // namespace

TEST_CASE("a chain in any order gives the oracle's survivors, logits, probabilities and token") {
  generator g(30);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    const names order = random_order(g, t.params.truncation);
    const bool has_letters = std::all_of(order.begin(), order.end(), [](std::string_view name) {
      return tests::oracle::letter_of(name) != 0;
    });
    t.params.order = to_order(order, has_letters && g.chance(0.5));
    if (!allows_marginal(order)) t.params.xtc_marginal = false;
    const sluice::problem problem = tests::check(t.params);
    REQUIRE_MESSAGE(!problem, problem.text);
    compare(t);
  }
  tests::check_report(compare.report());
}

TEST_CASE("the default chain of llama.cpp in names and in letters is the same chain") {
  generator g(31);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(1'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    t.params.order = "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;scatter;temperature";
    t.params.truncation = sluice::truncation_rule::sequential;
    compare(t);
    tests::trial letters = t;
    letters.params.order = "edskypmxrt";
    CHECK(take(t).drawn.token == take(letters).drawn.token);
  }
  tests::check_report(compare.report());
}

TEST_CASE("a stage that the order does not name does not run, but mask and bias do") {
  tests::trial t;
  t.logits = {1, 2, 3, 4};
  t.params.order = "top_p";
  t.params.top_k = 1;
  t.params.temperature = 0;
  t.params.logit_bias = {{3, tests::minus_infinity}};
  t.mask = {0b1011};
  const auto left = take(t).left;
  REQUIRE(left.size() == 2);
  CHECK(left[0].id == 1);
  CHECK(left[1].id == 0);
  CHECK(left[0].probability == doctest::Approx(1 / (1 + std::exp(-1.0))));
}

TEST_CASE("temperature before the filters changes what they keep, after them it does not") {
  // .5 .3 .15 .05: at T = 2 top-p .9 needs all four, of the row as it is only three.
  tests::trial t;
  for (const double p : {0.5, 0.3, 0.15, 0.05}) t.logits.push_back(static_cast<float>(std::log(p)));
  t.params.temperature = 2;
  t.params.top_p = 0.9f;
  const auto survivors = [&](const char* order) {
    t.params.order = order;
    return take(t).left.size();
  };
  CHECK(survivors("top_p;temperature") == 3);
  CHECK(survivors("temperature;top_p") == 4);
}
