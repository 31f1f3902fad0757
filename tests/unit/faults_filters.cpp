#include "faults.hpp"

using namespace tests;

FAULT_CASE("top-k of 2,000 zeros and one large or infinite logit keeps that one first") {
  sluice::sampling_params p;
  p.top_k = 200;
  std::vector<float> row(2'000, 0.0f);
  row[7] = 1e9f;
  const auto survivors = left(p, row);
  REQUIRE(survivors.size() == 200);
  CHECK(survivors[0].id == 7);
  CHECK(survivors[1].id == 0);
  CHECK(survivors[199].id == 199);
  row[7] = inf;
  CHECK(ids(left(p, row)) == std::set<int>{7});
}

FAULT_CASE("top-n-sigma counts no banned token in mean or deviation") {
  // 0 1 2 3 4 have mean 2 and deviation sqrt 2: n = 1 keeps what is >= 2.59.
  sluice::sampling_params p;
  p.top_n_sigma = 1;
  CHECK(ids(left(p, std::vector<float>{0, 1, 2, 3, 4})) == std::set<int>{3, 4});
  CHECK(ids(left(p, std::vector<float>{0, 1, 2, 3, 4, -inf})) == std::set<int>{3, 4});
  CHECK(ids(left(p, std::vector<float>{-inf, -inf, 0, -inf, 1, 2, 3, 4})) == std::set<int>{6, 7});
  p.suppressed_tokens = {0, 6};
  CHECK(ids(left(p, std::vector<float>{-500, 0, 1, 2, 3, 4, 100})) == std::set<int>{4, 5});
}

FAULT_CASE("typical-p of .4 .2 .2 .2 0 keeps the three .2") {
  sluice::sampling_params p;
  p.typical_p = 0.5f;
  CHECK(ids(left(p, logits_of({.4, .2, .2, .2, 0}))) == std::set<int>{1, 2, 3});
}

FAULT_CASE("XTC with threshold 0 keeps the least probable survivor, never the banned token") {
  sluice::sampling_params p;
  p.xtc_probability = 1;
  p.xtc_threshold = 0;
  CHECK(ids(left(p, logits_of({.4, .3, .2, .1, 0}))) == std::set<int>{3});
  p.suppressed_tokens = {3};
  CHECK(ids(left(p, logits_of({.4, .3, .2, .1, 0}))) == std::set<int>{2});
}

FAULT_CASE("top_k 1 beside top_p .8 gives the argmax") {
  sluice::sampling_params p;
  p.top_k = 1;
  p.top_p = 0.8f;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    CHECK(drawn(p, logits_of({.1, .2, .4, .3}), sluice::sequence(seed)).token == 2);
}

FAULT_CASE("top_k 0 is off") {
  sluice::sampling_params p;
  p.top_k = 0;
  CHECK(left(p, std::vector<float>{1, 2, 3}).size() == 3);
  p.top_k = -1;
  CHECK(left(p, std::vector<float>{1, 2, 3}).size() == 3);
}

FAULT_CASE("top_p 1 keeps a token of probability 1e-9") {
  for (const auto engine : every_engine) {
    sluice::sampling_params p;
    p.top_p = 1;
    p.engine = engine;
    CHECK(ids(left(p, logits_of({1, 1e-9, 1e-30}))) == std::set<int>{0, 1, 2});
  }
}

FAULT_CASE("a one-hot row with k = 2^30 gives a legal id") {
  std::vector<float> row(1'000, -inf);
  row[613] = 1;
  for (const auto engine : every_engine) {
    sluice::sampling_params p;
    p.top_k = 1 << 30;
    p.engine = engine;
    CHECK(drawn(p, row).token == 613);
  }
}

FAULT_CASE("p-less with temperature 0 is greedy, and keeps all of a uniform row") {
  sluice::sampling_params p;
  p.p_less = true;
  for (const std::size_t size : {3u, 7u, 1'000u, 151'936u}) {
    const std::vector<float> row(size, -1.25f);
    p.temperature = 1;
    CHECK(left(p, row).size() == size);
    p.temperature = 0;
    CHECK(ids(left(p, row)) == std::set<int>{0});
  }
}

FAULT_CASE("p-less of a near-uniform row of 131,072 keeps its upper half only") {
  // Halves at 0 and .001: sum q^2 is a little over 1 / V, and the lower q a little below.
  std::vector<float> row(131'072, 0.0f);
  for (std::size_t i = 0; i < row.size(); i += 2) row[i] = 0.001f;
  sluice::sampling_params p;
  p.p_less = true;
  const auto survivors = left(p, row);
  CHECK(survivors.size() == 65'536);
  for (const sluice::candidate& c : survivors) REQUIRE(c.id % 2 == 0);
}

FAULT_CASE("the survivors of top-p do not depend on the temperature") {
  sluice::sampling_params p;
  p.top_p = 0.9f;
  for (const float t : {0.5f, 1.0f, 2.0f}) {
    p.temperature = t;
    CHECK(ids(left(p, logits_of({.5, .3, .15, .05}))) == std::set<int>{0, 1, 2});
  }
}

FAULT_CASE("a spread of 220 nats ends, with exact survivors") {
  std::vector<float> row;
  for (int i = 0; i <= 220; ++i) row.push_back(-static_cast<float>(i));
  for (const auto engine : every_engine) {
    for (const auto draw : every_draw) {
      sluice::sampling_params p;
      p.engine = engine;
      p.draw = draw;
      p.top_p = 0.9f;  // .632 .865 .950
      CHECK(ids(left(p, row)) == std::set<int>{0, 1, 2});
      CHECK(drawn(p, row).token <= 2);
      p.top_p = 1;
      p.min_p = 1e-30f;  // 69.08 nats
      CHECK(left(p, row).size() == 70);
      p.min_p = 0;
      CHECK(left(p, row).size() == 221);
      CHECK(drawn(p, row));
    }
  }
}

FAULT_CASE("of two ties top_k 1 and temperature 0 take the same") {
  sluice::sampling_params by_k;
  by_k.top_k = 1;
  sluice::sampling_params by_t;
  by_t.temperature = 0;
  CHECK(drawn(by_k, std::vector<float>{1, 1}).token == 0);
  CHECK(drawn(by_t, std::vector<float>{1, 1}).token == 0);
  CHECK(drawn(by_k, std::vector<float>{0, -0.0f, 0}).token == 0);
  CHECK(drawn(by_t, std::vector<float>{-0.0f, 0, 0}).token == 0);
}

FAULT_CASE("a -inf stays absent at every alignment of the row") {
  alignas(64) std::array<float, 64 + 600> memory{};
  sluice::sampling_params p;
  p.top_p = 0.999f;
  for (std::size_t offset = 0; offset < 32; ++offset) {
    for (const std::size_t size : {1u, 15u, 16u, 17u, 255u, 256u, 257u, 600u}) {
      memory.fill(5);  // what stands outside the row must not count
      std::set<int> expected;
      for (std::size_t i = 0; i < size; ++i) {
        const bool present = i % 3 == 0;
        memory[offset + i] = present ? 1.0f : -inf;
        if (present) expected.insert(static_cast<int>(i));
      }
      const auto survivors = left(p, {memory.data() + offset, size});
      REQUIRE(survivors.size() == std::size_t(std::ceil(0.999 * double(expected.size()))));
      for (const sluice::candidate& c : survivors) {
        REQUIRE(expected.contains(c.id));
        REQUIRE(c.probability == doctest::Approx(1.0 / double(survivors.size())));
      }
    }
  }
}
