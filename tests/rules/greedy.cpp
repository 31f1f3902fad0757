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
    sluice::sequence sequence = t.sequence();
    CHECK(sluice::standard_chain(t.params).distribution(t.logits, sequence, t.call()).size() <= 1);
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
    sluice::sequence sequence = t.sequence();
    CHECK(sluice::standard_chain(t.params).distribution(t.logits, sequence, t.call()).size() <= 1);
  }
  tests::check_report(compare.report());
}

TEST_CASE("greedy does not look at XTC, and takes the lowest id of equal logits") {
  const std::vector<float> logits{1, 5, 5, 5, 0};
  sluice::sampling_params p;
  p.xtc_probability = 1;
  p.xtc_threshold = 0.1f;
  p.temperature = 0;
  sluice::sequence sequence(3);
  CHECK(sluice::standard_chain(p).sample(logits, sequence).token == 1);
  p.temperature = 1;
  CHECK(sluice::standard_chain(p).sample(logits, sequence).token != 1);
}

TEST_CASE("greedy does not look at dynatemp_range") {
  const std::vector<float> logits(64, 1.0f);
  sluice::sampling_params p;
  p.temperature = 0;
  p.dynatemp_range = 2;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    sluice::sequence sequence(seed);
    CHECK(sluice::standard_chain(p).sample(logits, sequence).token == 0);
  }
}

TEST_CASE("a repetition penalty can change the greedy token") {
  const std::vector<float> logits{2, 3, 1};
  sluice::sampling_params p;
  p.temperature = 0;
  p.repetition_penalty = 2;
  sluice::sequence sequence(1);
  sluice::standard_chain chain(p);
  CHECK(chain.sample(logits, sequence).token == 1);
  sequence.accept(1);
  CHECK(chain.sample(logits, sequence).token == 0);
}

TEST_CASE("the floats around 1e-5 are greedy below it and not above it") {
  const std::vector<float> logits(16, 0.0f);
  sluice::sampling_params p;
  sluice::sequence sequence(1);
  p.temperature = std::nextafter(1e-5f, 0.0f);
  CHECK(sluice::standard_chain(p).distribution(logits, sequence).size() == 1);
  p.temperature = std::nextafter(1e-5f, 1.0f);
  CHECK(sluice::standard_chain(p).distribution(logits, sequence).size() == 16);
}
