// What a stage of one's own may ask of the row by mistake, and rows at any address.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sluice/sluice.hpp>
#include <vector>

#include "../support.hpp"

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

struct any_stage {
  static constexpr auto where = sluice::place(int(sluice::place::min_p) + 1);
  void (*does)(sluice::row&) noexcept = nullptr;
  bool active() const noexcept { return true; }
  void operator()(sluice::row& r) const noexcept { does(r); }
};

std::vector<sluice::candidate> left_by(void (*does)(sluice::row&) noexcept) {
  const sluice::chain chain{any_stage{does}};
  sluice::sequence sequence(3);
  const std::vector<float> row{1, 4, 2, 3};
  const sluice::sample_result drawn = chain.sample(row, sequence);
  const auto law = chain.distribution(row, sequence);
  CHECK(bool(drawn) == !law.empty());
  CHECK((drawn.token >= 0) == bool(drawn));
  return {law.begin(), law.end()};
}

}  // namespace

TEST_CASE("a temperature that is not above 0 keeps the best token") {
  for (const auto does : {+[](sluice::row& r) noexcept { r.set_temperature(0); },
                          +[](sluice::row& r) noexcept { r.set_temperature(-1); },
                          +[](sluice::row& r) noexcept { r.set_temperature(double(not_a_number)); }}) {
    const auto law = left_by(does);
    REQUIRE(law.size() == 1);
    CHECK(law[0].id == 1);
  }
}

TEST_CASE("a mass outside [0, 1] is taken to its nearer end") {
  CHECK(left_by([](sluice::row& r) noexcept { r.keep_mass(1e30f); }).size() == 4);
  CHECK(left_by([](sluice::row& r) noexcept { r.keep_mass(-1); }).size() == 1);
  CHECK(left_by([](sluice::row& r) noexcept { r.keep_mass(not_a_number); }).size() == 1);
  CHECK(left_by([](sluice::row& r) noexcept { r.keep_nearest(4, 1e30f); }).size() == 4);
  CHECK(left_by([](sluice::row& r) noexcept { CHECK(sluice::cut::heavier_than(r, 1e30f).empty()); }).size() ==
        4);
}

TEST_CASE("an edit that gives NaN leaves the token as it is") {
  const auto law =
      left_by([](sluice::row& r) noexcept { r.edit(2, [](double) { return double(not_a_number); }); });
  REQUIRE(law.size() == 4);
  CHECK(law[2].id == 2);
  CHECK(law[2].logit == 2);
}

TEST_CASE("a stage keeps what a predicate says") {
  const auto law = left_by([](sluice::row& r) noexcept {
    r.keep_if([](sluice::token_id id, float logit) { return id % 2 == 0 || logit > 3; });
  });
  REQUIRE(law.size() == 3);
  CHECK(law[0].id == 1);
  CHECK(law[1].id == 2);
  CHECK(law[2].id == 0);
  CHECK(left_by([](sluice::row& r) noexcept { r.keep_if([](auto, auto) { return false; }); }).empty());
}

TEST_CASE("a row that is replaced leaves out what is no token of it") {
  const auto law = left_by([](sluice::row& r) noexcept {
    sluice::candidate given[] = {{.id = 3, .logit = 1},
                                 {.id = 0, .logit = 2},
                                 {.id = 1, .logit = -std::numeric_limits<float>::infinity()},
                                 {.id = 2, .logit = not_a_number},
                                 {.id = 0, .logit = 2},
                                 {.id = 4, .logit = 9},
                                 {.id = -1, .logit = 9}};
    r.replace(given);
    CHECK(r.size() == 2);
    CHECK(r.top(4).size() == 2);
  });
  REQUIRE(law.size() == 2);
  CHECK(law[0].id == 0);
  CHECK(law[1].id == 3);
}

TEST_CASE("a stage that empties the row gives no token") {
  CHECK(left_by([](sluice::row& r) noexcept {
          for (int id = 0; id < 4; ++id) r.remove(id);
        }).empty());
}

TEST_CASE("16-bit rows may lie at any address") {
  tests::generator g(31);
  for (const std::size_t size : {1u, 31u, 256u, 257u, 700u, 3000u}) {
    std::vector<std::uint16_t> row(size);
    for (std::uint16_t& bits : row) bits = static_cast<std::uint16_t>(0x3f00 + g.below(0x100));
    std::vector<unsigned char> raw(2 * size + 1);
    std::memcpy(raw.data() + 1, row.data(), 2 * size);
    for (const auto type : {sluice::logit_type::f16, sluice::logit_type::bf16}) {
      sluice::sampling_params params;
      params.seed = size;
      params.top_p = 0.9f;
      sluice::sampler sampler(params);
      const void* const even = row.data();
      const void* const odd = raw.data() + 1;
      CHECK(sampler.sample({even, size, type}).token == sampler.sample({odd, size, type}).token);
    }
  }
}
