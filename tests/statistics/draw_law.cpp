#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "library.hpp"
#include "noise_field.hpp"

// Both draws have the law softmax(l / T): chi-square over forms, temperatures and sizes.

using namespace tests::statistics;

namespace {

constexpr std::array temperatures{0.1f, 0.5f, 1.0f, 2.0f, 10.0f};

/// Whether `draws` tokens of draw(position) have the law of the row at this temperature.
template <class Draw>
bool has_law(const row_to_draw& row, float temperature, std::size_t draws, Draw draw) {
  return fits(counts_of(row.logits.size(), draws, draw), law_of(row, temperature));
}

/// A seed of its own for each row, so that no two tests share their noise.
std::uint64_t seed_of(form f, std::size_t size, float temperature) {
  return std::uint64_t(f) << 40 | std::uint64_t{size} << 20 | std::uint64_t(temperature * 16);
}

bool gumbel_has_law(form f, std::size_t size, float temperature, std::size_t draws) {
  const std::uint64_t seed = seed_of(f, size, temperature);
  const row_to_draw row = make_row_to_draw(f, size, seed);
  opened open(row, temperature);
  return has_law(row, temperature, draws,
                 [&](std::uint64_t position) { return open.gumbel(seed, position); });
}

bool softmax_has_law(form f, std::size_t size, float temperature, std::size_t draws) {
  const std::uint64_t seed = seed_of(f, size, temperature);
  const row_to_draw row = make_row_to_draw(f, size, seed);
  opened open(row, temperature);
  return has_law(row, temperature, draws,
                 [&](std::uint64_t position) { return open.softmax(seed, position); });
}

}  // namespace

TEST_CASE("the Gumbel draw has the law of the row at every form, size and temperature") {
  for (const form f : every_form) {
    CAPTURE(to_text(f));
    for (const float temperature : temperatures) {
      CAPTURE(temperature);
      for (const std::size_t size : {2u, 7u, 64u})
        CHECK(gumbel_has_law(f, size, temperature, tests::scaled(200'000)));
      CHECK(gumbel_has_law(f, 257, temperature, tests::scaled(100'000)));
    }
    for (const float temperature : {0.5f, 2.0f})
      CHECK(gumbel_has_law(f, 1'000, temperature, tests::scaled(100'000)));
    CHECK(gumbel_has_law(f, 4'096, 1, tests::scaled(200'000)));
  }
}

// The audit of its words says more; this shows that the words are random.
TEST_CASE("the softmax draw has the law of the row at every form, size and temperature") {
  for (const form f : every_form) {
    CAPTURE(to_text(f));
    for (const float temperature : temperatures) {
      CAPTURE(temperature);
      for (const std::size_t size : {2u, 7u, 64u})
        CHECK(softmax_has_law(f, size, temperature, tests::scaled(200'000)));
      CHECK(softmax_has_law(f, 257, temperature, tests::scaled(100'000)));
    }
    CHECK(softmax_has_law(f, 1'000, 1, tests::scaled(50'000)));
    CHECK(softmax_has_law(f, 4'096, 1, tests::scaled(30'000)));
  }
}

TEST_CASE("the two draws have one law") {
  const std::size_t draws = tests::scaled(200'000);
  for (const form f : every_form) {
    CAPTURE(to_text(f));
    const row_to_draw row = make_row_to_draw(f, 30, 17);
    for (const float temperature : {0.5f, 1.0f, 2.0f}) {
      opened open(row, temperature), other(row, 2 * temperature);
      const auto gumbel = [&](opened& from) {
        return counts_of(30, draws, [&](std::uint64_t position) { return from.gumbel(3, position); });
      };
      const auto softmax =
          counts_of(30, draws, [&](std::uint64_t position) { return open.softmax(4, position); });
      CHECK(same_law(gumbel(open), softmax));
      if (f != form::flat) CHECK_FALSE(same_law(gumbel(other), softmax));
    }
  }
}

// Temperature cancels where 1 / T multiplies after the exponential: no test at T = 1 sees it.
TEST_CASE("chi-square tells a temperature that cancels") {
  const std::size_t draws = tests::scaled(200'000);
  const row_to_draw row = make_row_to_draw(form::wide, 20, 4);
  opened cancelled(row, 1);
  const auto ignoring = [&](std::uint64_t position) { return cancelled.gumbel(5, position); };
  for (const float temperature : {4.0f, 2.0f, 1.0f, 0.5f})
    CHECK(has_law(row, temperature, draws, ignoring) == (temperature == 1));
}

TEST_CASE("chi-square tells faulty noise") {
  const std::size_t draws = tests::scaled(500'000);
  const row_to_draw row = make_row_to_draw(form::wide, 7, 6);
  const auto has = [&](fault f) {
    return has_law(row, 1, draws, [&](std::uint64_t position) {
      return largest_score(row, 1, position,
                           [f](std::uint64_t p, std::uint32_t token) { return noise_of(f, 9, p, token); });
    });
  };
  CHECK(has(fault::none));
  CHECK_FALSE(has(fault::head_not_divided));
  CHECK_FALSE(has(fault::shared_by_neighbours));
  CHECK_FALSE(has(fault::position_ignored));
}
