// What the harness does not ask of scatter (rules/reshapes.cpp): exact numbers, and rows at the edge.
#include <algorithm>

#include "faults.hpp"

using namespace tests;

namespace {

sluice::sampling_params creative() {
  sluice::sampling_params p;
  p.scatter_strength = 0.18f;
  p.scatter_radius = 2.5f;
  p.scatter_k = 64;
  return p;
}

/// The ids of the row in rank order, at most k of them.
std::vector<int> ranking(const std::vector<float>& row, std::size_t k) {
  std::vector<int> order;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] > -inf) order.push_back(static_cast<int>(i));
  const auto logit = [&](int id) { return row[std::size_t(id)]; };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return logit(a) != logit(b) ? logit(a) > logit(b) : a < b; });
  order.resize(std::min(order.size(), k));
  return order;
}

std::vector<int> ids_in_order(const std::vector<sluice::candidate>& survivors) {
  std::vector<int> order;
  for (const sluice::candidate& c : survivors) order.push_back(c.id);
  return order;
}

double probability_of(const std::vector<sluice::candidate>& survivors, int id) {
  for (const sluice::candidate& c : survivors)
    if (c.id == id) return double(c.probability);
  return 0;
}

}  // namespace

TEST_CASE("scatter whose coin misses leaves the row bit-identical") {
  generator g(63);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<float> row = make_row(g, shape::gaussian, 200);
    const sluice::sequence sequence(static_cast<std::uint64_t>(i));
    const auto untouched = left({}, row, sequence);
    sluice::sampling_params p = creative();
    p.scatter_collision = 0.25f;
    const auto gated = left(p, row, sequence);
    if (gated.size() == 64) {
      ++hits;
      continue;
    }
    CHECK(std::equal(gated.begin(), gated.end(), untouched.begin(), untouched.end(),
                     [](const auto& a, const auto& b) {
                       return a.id == b.id && a.logit == b.logit && a.probability == b.probability;
                     }));
  }
  CHECK(hits > 40);  // 75 expected
  CHECK(hits < 115);
}

TEST_CASE("absorption lowers tokens that were repeated, the more the oftener") {
  const std::vector<float> row = logits_of({.3, .25, .2, .15, .1});
  sluice::sampling_params p = creative();
  const auto before = left(p, row);
  p.scatter_absorption = 0.5f;
  const auto after_three = left(p, row, after({0, 0, 0, 2}));
  CHECK(probability_of(after_three, 0) < probability_of(before, 0));
  CHECK(probability_of(after_three, 2) < probability_of(before, 2));
  CHECK(probability_of(after_three, 1) > probability_of(before, 1));
  CHECK(after_three.front().id == 1);
  // e^-1.5 and e^-.5 against 1, after the diffusion.
  const double ratio = probability_of(before, 0) / probability_of(before, 1);
  CHECK(probability_of(after_three, 0) / probability_of(after_three, 1) ==
        doctest::Approx(ratio * std::exp(-1.5)).epsilon(1e-5));
  p.scatter_absorption_last_n = 1;
  const auto newest = left(p, row, after({0, 0, 0, 2}));
  CHECK(probability_of(newest, 0) / probability_of(newest, 1) == doctest::Approx(ratio).epsilon(1e-5));
  CHECK(probability_of(newest, 2) < probability_of(before, 2));
}

FAULT_CASE("scatter leaves the ranking of near-tied rows unchanged, ids included") {
  generator g(64);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<float> row(100);
    for (float& l : row) l = 5.0f + static_cast<float>(g.between(0, 3)) * 0x1p-21f;
    CHECK(ids_in_order(left(creative(), row)) == ranking(row, 64));
  }
}

TEST_CASE("absorption that leaves no token any mass keeps the relative odds of equal counts") {
  sluice::sampling_params p = creative();
  p.scatter_absorption = 3e38f;
  const auto once = left(p, std::vector<float>{3, 2, 1, 0}, after({0, 1, 2, 3}));
  sluice::sampling_params plain = creative();
  const auto never = left(plain, std::vector<float>{3, 2, 1, 0}, sluice::sequence(1));
  REQUIRE(once.size() == 4);
  for (int id = 0; id < 4; ++id)
    CHECK(probability_of(once, id) == doctest::Approx(probability_of(never, id)).epsilon(1e-6));
  CHECK(ids_in_order(left(p, std::vector<float>{3, 2, 1, 0}, after({0, 0, 1, 2, 3}))) ==
        std::vector<int>{1, 2, 3, 0});
}
