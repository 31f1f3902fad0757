#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "chi_square.hpp"

// The bounds of tail.tsv, found by the code that the tests here decide with.

using namespace tests::statistics;

TEST_CASE("chi-square turns away at the known critical values") {
  CHECK(chi_square_critical(4) == doctest::Approx(33.377).epsilon(1e-5));
  CHECK(chi_square_critical(15) == doctest::Approx(56.493).epsilon(1e-5));
  CHECK(chi_square_critical(63) == doctest::Approx(131.370).epsilon(1e-5));
  CHECK(chi_square_critical(255) == doctest::Approx(377.078).epsilon(1e-5));
  CHECK(chi_square_critical(1'023) == doctest::Approx(1252.581).epsilon(1e-5));
  CHECK(chi_square_critical(4'095) == doctest::Approx(4539.664).epsilon(1e-5));
}

TEST_CASE("a Poisson count has the known range") {
  const auto is = [](double expected, std::size_t low, std::size_t high) {
    const range found = poisson_range(expected);
    return found.low == low && found.high == high;
  };
  CHECK(is(20, 3, 45));
  CHECK(is(32.76, 9, 64));
  CHECK(is(54.0, 22, 94));
  CHECK(is(100, 55, 153));
  CHECK(is(340, 254, 434));
  CHECK(is(1e-9, 0, 0));
}

TEST_CASE("cells pool from the smallest until ten are expected, and the remainder stays") {
  const std::vector<cell> cells = pooled({{1, 4}, {50, 40}, {2, 3}, {20, 11}, {3, 2}});
  REQUIRE(cells.size() == 2);  // 2 + 3 + 4 are below ten, so the eleven join them
  CHECK(cells[0].expected == 40);
  CHECK(cells[1].expected == 20);
  CHECK(cells[1].observed == 26);
  CHECK(pooled({{1, 12}, {2, 10}}).size() == 2);
  CHECK(pooled({{1, 4}, {2, 5}}).size() == 1);
}

TEST_CASE("counts are turned away where a token of no probability occurs, or a rare one too often") {
  const std::array<double, 3> law{0.99999, 0.00001, 0};
  CHECK(fits(std::array<std::size_t, 3>{99'999, 1, 0}, law));
  CHECK_FALSE(fits(std::array<std::size_t, 3>{99'999, 0, 1}, law));
  CHECK_FALSE(fits(std::array<std::size_t, 3>{99'980, 20, 0}, law));
}

// With four degrees of freedom the critical value is 33.377.
TEST_CASE("counts are turned away above the critical value") {
  const std::array<double, 5> law{0.2, 0.2, 0.2, 0.2, 0.2};
  CHECK(fits(std::array<std::size_t, 5>{481, 400, 400, 319, 400}, law));        // 32.8
  CHECK_FALSE(fits(std::array<std::size_t, 5>{482, 400, 400, 318, 400}, law));  // 33.6
  CHECK(same_law(std::array<std::size_t, 2>{1'034, 966}, std::array<std::size_t, 2>{966, 1'034}));
  CHECK_FALSE(same_law(std::array<std::size_t, 2>{1'080, 920}, std::array<std::size_t, 2>{920, 1'080}));
}
