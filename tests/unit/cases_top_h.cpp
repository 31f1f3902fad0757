// Top-H by hand: entropies of prefixes that can be worked out on paper.

#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

std::vector<int> kept(const std::vector<double>& probabilities, float h, const char* order = "") {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  sluice::sampling_params params;
  params.top_h = h;
  params.order = order;
  const sluice::standard_chain chain(params);
  sluice::sequence sequence(1);
  std::vector<int> ids;
  for (const sluice::candidate& c : chain.distribution(logits, sequence)) ids.push_back(c.id);
  return ids;
}

}  // namespace

// Of n equal tokens a prefix of k has ln k nats.
TEST_CASE("of equal tokens top-h keeps n^h, by id") {
  const std::vector<double> four(4, 0.25), hundred(100, 0.01);
  CHECK(kept(four, 0.5f) == std::vector<int>{0, 1});
  CHECK(kept(four, 0.49f) == std::vector<int>{0});
  CHECK(kept(four, 0.8f) == std::vector<int>{0, 1, 2});  // ln 3 / ln 4 = .792
  CHECK(kept(hundred, 0.499f).size() == 9);
  CHECK(kept(hundred, 0.501f).size() == 10);
}

// .5 .25 .125 .125 has 1.75 bits; its prefixes, renormalised, 0, .9183 and 1.3788.
TEST_CASE("top-h compares the entropy of the renormalised prefix with a share of the row's") {
  const std::vector<double> row{0.5, 0.25, 0.125, 0.125};
  CHECK(kept(row, 0.52f).size() == 1);
  CHECK(kept(row, 0.53f).size() == 2);  // .9183 / 1.75 = .5247
  CHECK(kept(row, 0.78f).size() == 2);
  CHECK(kept(row, 0.79f).size() == 3);  // 1.3788 / 1.75 = .7879
  CHECK(kept(row, 0.999f).size() == 3);
  CHECK(kept(row, 1).size() == 4);
  CHECK(kept(row, 0).size() == 4);
}

TEST_CASE("a row whose mass is one token's keeps it and what has no mass") {
  CHECK(kept({1}, 0.5f) == std::vector<int>{0});
  std::vector<float> row{0, -60, -80, 0};
  row[3] = -std::numeric_limits<float>::infinity();
  sluice::sequence sequence(1);
  CHECK(sluice::chain{sluice::top_h{.h = 0.5f}}.distribution(row, sequence).size() == 3);
}

TEST_CASE("top-h is named in an order, has a range, and is set by its name") {
  CHECK(kept(std::vector<double>(4, 0.25), 0.5f, "temperature;top_h") == std::vector<int>{0, 1});
  CHECK(kept(std::vector<double>(4, 0.25), 0.5f, "temperature").size() == 4);
  CHECK(sluice::check({.top_h = 1.5f}).text == "top_h must be in [0, 1], got 1.5");
  sluice::sampling_params params;
  CHECK_FALSE(sluice::set(params, "top-h", "0.25"));
  CHECK(params.top_h == 0.25f);
}
