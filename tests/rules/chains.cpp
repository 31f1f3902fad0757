#include <doctest/doctest.h>

#include "random_params.hpp"

TEST_CASE(
    "a whole chain of random parameters gives the oracle's survivors, logits, probabilities and token") {
  tests::generator g(20);
  tests::comparison compare;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    const tests::trial t = tests::random_trial(g);
    REQUIRE_FALSE(tests::check(t.params));
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

// The masses of tokens 25 to 33 nats below the best one are a few hundred units, a few, or none.
TEST_CASE(
    "the softmax draw's distribution is that of its integer masses, the Gumbel draw's that of weights") {
  tests::generator g(24);
  std::size_t told_apart = 0;
  for (std::size_t i = tests::scaled(5'000); i > 0; --i) {
    tests::trial t;
    t.params.temperature = tests::random_float(g, 0.3, 2);
    t.params.xtc_marginal = g.chance(0.5);
    t.params.xtc_probability = t.params.xtc_marginal ? 0.5f : 0.0f;
    for (std::size_t n = 1 + g.below(300); n > 0; --n)
      t.logits.push_back(-t.params.temperature * tests::random_float(g, 25, 33));
    t.logits[g.below(t.logits.size())] = 0;
    const auto law = [&](sluice::draw_method method) {
      t.params.draw = method;
      return tests::oracle::run(t.params, t.situation()).law;
    };
    const auto weights = law(sluice::draw_method::gumbel);
    const auto of_weights = tests::take(t).left;
    const auto masses = law(sluice::draw_method::softmax);
    const auto of_masses = tests::take(t).left;
    REQUIRE(of_masses.size() == masses.size());
    REQUIRE(of_weights.size() == masses.size());
    for (std::size_t c = 0; c < masses.size(); ++c) {
      CHECK(tests::oracle::is_probability(masses[c], of_masses[c].probability));
      CHECK(tests::oracle::is_probability(weights[c], of_weights[c].probability));
      told_apart += !tests::oracle::is_probability(masses[c], static_cast<float>(weights[c].probability));
    }
  }
  CHECK(told_apart > tests::scaled(5'000) * 50);
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
    return take(t).left.size();
  };
  CHECK(survivors(sluice::truncation_rule::sequential) == 1);
  CHECK(survivors(sluice::truncation_rule::joint) == 2);
}

TEST_CASE(
    "a sparse row gives the dense row's survivors, logits and probabilities bit for bit, and its token") {
  tests::generator g(22);
  for (std::size_t i = tests::scaled(5'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    t.by = tests::door::dense;
    const tests::taken dense = take(t);
    t.by = tests::door::sparse;
    const tests::taken sparse = take(t);
    CHECK_MESSAGE(sparse.drawn.token == dense.drawn.token, to_text(t));
    CHECK_MESSAGE(tests::detail::same_bits(sparse.left, dense.left), to_text(t));
  }
}

TEST_CASE("the comparison rejects a chain that is a little different from what the oracle was asked") {
  // Until it is rejected: one failure says as much as three hundred.
  const auto failures = [](auto mutate) {
    tests::generator g(23);
    tests::comparison compare;
    for (int i = 0; i < 300 && compare.report().failures == 0; ++i) {
      tests::trial t;
      t.logits = tests::make_row(g, tests::shape::gaussian, 200);
      t.generated = tests::make_history(g, 200, 30);
      t.seed = g.next();
      t.params.top_k = 40;
      t.params.top_p = 0.9f;
      t.params.min_p = 0.02f;
      t.params.temperature = 1.5f;
      t.params.frequency_penalty = 0.3f;
      t.params.xtc_probability = 0.5f;
      t.params.scatter_strength = 0.1f;
      tests::trial mutant = t;
      mutate(mutant);
      compare(mutant, t);
    }
    CHECK(compare.report().near <= 3);
    return compare.report().failures;
  };
  CHECK(failures([](tests::trial&) {}) == 0);
  CHECK(failures([](tests::trial& t) {
          t.params.order = "penalties;temperature;top_k;top_p;min_p;xtc;scatter";
        }) > 0);
  CHECK(failures([](tests::trial& t) {
          t.params.order = "penalties;top_p;top_k;min_p;xtc;scatter;temperature";
        }) > 0);
  CHECK(failures([](tests::trial& t) { t.params.truncation = sluice::truncation_rule::joint; }) > 0);
  CHECK(failures([](tests::trial& t) { t.params.top_p = 0.895f; }) > 0);
  CHECK(failures([](tests::trial& t) { t.params.min_keep = 5; }) > 0);
  CHECK(failures([](tests::trial& t) { t.params.draw = sluice::draw_method::softmax; }) > 0);
  CHECK(failures([](tests::trial& t) {
          t.params.occurrence_counts_prompt = false, t.prompt.swap(t.generated);
        }) > 0);
  CHECK(failures([](tests::trial& t) { t.params.temperature = 1.50004f; }) > 0);
  CHECK(failures([](tests::trial& t) { ++t.seed; }) > 0);
  CHECK(failures([](tests::trial& t) { ++t.start; }) > 0);
}
