#include <doctest/doctest.h>

#include "random_params.hpp"

TEST_CASE(
    "a whole chain of random parameters gives the oracle's survivors, logits, probabilities and token") {
  tests::generator g(20);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    const tests::trial t = tests::random_trial(g);
    REQUIRE_FALSE(sluice::check(t.params));
    compare(t);
  }
  tests::check_report(compare.report());
}

TEST_CASE("top-k, top-p and min-p together give the oracle's survivors, joint and sequential") {
  tests::generator g(21);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    tests::trial t;
    const std::size_t size = tests::random_size(g);
    t.logits = tests::make_row(g, g.pick(tests::all_shapes), size);
    t.seed = g.next();
    t.params.truncation = i % 2 == 0 ? sluice::truncation_rule::joint : sluice::truncation_rule::sequential;
    t.params.top_k = static_cast<int>(2 + g.below(size + 1));
    t.params.top_p = tests::random_float(g, 0.3, 1);
    t.params.min_p = tests::random_float(g, 0, 0.2);
    t.params.min_keep = g.between(0, 3);
    t.params.temperature = tests::random_float(g, 0.3, 3);
    compare(t);
  }
  tests::check_report(compare.report());
}

TEST_CASE("joint and sequential truncation differ where top-p sees another total") {
  // Sequential: top-k leaves .4 and .3, of which top-p .5 needs the first alone; joint: .4 alone is not
  // enough.
  tests::trial t;
  for (const double p : {0.4, 0.3, 0.2, 0.1}) t.logits.push_back(static_cast<float>(std::log(p)));
  t.params.top_k = 2;
  t.params.top_p = 0.5f;
  const auto survivors = [&](sluice::truncation_rule rule) {
    t.params.truncation = rule;
    sluice::sequence sequence = t.sequence();
    return sluice::standard_chain(t.params).distribution(t.logits, sequence).size();
  };
  CHECK(survivors(sluice::truncation_rule::sequential) == 1);
  CHECK(survivors(sluice::truncation_rule::joint) == 2);
}
