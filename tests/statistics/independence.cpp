#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "chi_square.hpp"
#include "noise_field.hpp"
#include "support.hpp"

// No two numbers of the field know of each other: pairs of uniforms in a table of 16 by 16 cells, and in one
// of halved cells towards the corner where draws are won.

using namespace tests::statistics;

namespace {

using sluice::random::source;
using sluice::random::stream;

constexpr std::size_t equal_cells = 16;
constexpr std::size_t corner_cells = 10;

std::size_t equal_cell(double u) { return std::min(equal_cells - 1, std::size_t(u * equal_cells)); }
std::size_t corner_cell(double u) { return std::min(corner_cells - 1, std::size_t(-std::log2(u))); }
double corner_share(std::size_t cell) { return std::exp2(-double(std::min(cell + 1, corner_cells - 1))); }

/// Whether a(i) and b(i), uniform in (0, 1), are independent over i = 0 .. count - 1.
template <class A, class B>
bool independent(std::size_t count, A a, B b) {
  std::vector<std::size_t> equal(equal_cells * equal_cells, 0), corner(corner_cells * corner_cells, 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double u = a(i), v = b(i);
    ++equal[equal_cell(u) * equal_cells + equal_cell(v)];
    ++corner[corner_cell(u) * corner_cells + corner_cell(v)];
  }
  const std::vector<double> equal_law(equal.size(), 1.0 / double(equal.size()));
  std::vector<double> corner_law(corner.size());
  for (std::size_t c = 0; c < corner.size(); ++c)
    corner_law[c] = corner_share(c / corner_cells) * corner_share(c % corner_cells);
  return fits(equal, equal_law) && fits(corner, corner_law);
}

/// A token at a seed and a position that both may move with i.
struct spot {
  std::uint64_t seed = 61, position = 0;
  std::uint32_t token = 0;
};

double librarys(const spot& s) {
  return -std::expm1(-std::exp(-sluice::random::noise({s.seed, s.position}, s.token)));
}

auto with(fault f) {
  return [f](const spot& s) { return -std::expm1(-exponential_of(f, s.seed, s.position, s.token)); };
}

template <class Noise>
bool tokens_are_independent(std::uint32_t a, std::uint32_t b, Noise noise) {
  return independent(
      tests::scaled(1'000'000), [&](std::uint64_t i) { return noise(spot{.position = i, .token = a}); },
      [&](std::uint64_t i) { return noise(spot{.position = i, .token = b}); });
}

template <class Noise>
bool positions_are_independent(std::uint64_t apart, Noise noise) {
  return independent(
      tests::scaled(1'000'000), [&](std::uint64_t i) { return noise(spot{.position = i, .token = 3}); },
      [&](std::uint64_t i) { return noise(spot{.position = i + apart, .token = 3}); });
}

template <class Noise>
bool seeds_are_independent(std::uint64_t apart, Noise noise) {
  return independent(
      tests::scaled(1'000'000), [&](std::uint64_t i) { return noise(spot{.seed = i, .token = 3}); },
      [&](std::uint64_t i) { return noise(spot{.seed = i + apart, .token = 3}); });
}

/// The n-th word of a stream at index 0.
auto word_of(stream s, std::size_t n) {
  return [s, n](std::uint64_t i) { return (double(source{61, i}.at(s, 0)[n]) + 0.5) * 0x1p-32; };
}

bool words_are_independent(stream a, std::size_t n, stream b, std::size_t m) {
  return independent(tests::scaled(1'000'000), word_of(a, n), word_of(b, m));
}

}  // namespace

TEST_CASE("the noise of two tokens of a block is independent, neighbours of a counter or not") {
  for (const auto& tokens : {std::pair{0u, 1u}, {0u, 16u}, {0u, 48u}, {0u, 64u}, {5u, 255u}, {127u, 128u}}) {
    CAPTURE(tokens.second);
    CHECK(tokens_are_independent(tokens.first, tokens.second, librarys));
  }
  CHECK_FALSE(tokens_are_independent(0, 1, with(fault::shared_by_neighbours)));
  CHECK_FALSE(tokens_are_independent(0, 16, with(fault::head_not_divided)));
}

TEST_CASE("the noise of two blocks is independent") {
  for (const auto& tokens :
       {std::pair{0u, 256u}, {255u, 256u}, {7u, 519u}, {1u, 65'537u}, {9u, 1'000'009u}}) {
    CAPTURE(tokens.second);
    CHECK(tokens_are_independent(tokens.first, tokens.second, librarys));
  }
  CHECK_FALSE(tokens_are_independent(256, 257, with(fault::shared_by_neighbours)));
}

TEST_CASE("the noise of two positions is independent") {
  for (const std::uint64_t apart :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1'000}, std::uint64_t{1} << 32}) {
    CAPTURE(apart);
    CHECK(positions_are_independent(apart, librarys));
  }
  CHECK_FALSE(positions_are_independent(1, with(fault::position_ignored)));
  CHECK_FALSE(positions_are_independent(std::uint64_t{1} << 32, with(fault::position_high_ignored)));
}

TEST_CASE("the noise of two seeds is independent") {
  for (const std::uint64_t apart :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32, std::uint64_t{1} << 63}) {
    CAPTURE(apart);
    CHECK(seeds_are_independent(apart, librarys));
  }
  CHECK_FALSE(seeds_are_independent(std::uint64_t{1} << 32, with(fault::seed_high_ignored)));
}

TEST_CASE("a seed and a position do not stand for each other") {
  const std::size_t count = tests::scaled(1'000'000);
  const auto swapped = [](auto noise) {
    return std::pair{[noise](std::uint64_t i) { return noise(spot{.seed = i, .position = 7, .token = 3}); },
                     [noise](std::uint64_t i) { return noise(spot{.seed = 7, .position = i, .token = 3}); }};
  };
  const auto [a, b] = swapped(librarys);
  CHECK(independent(count, a, b));
  const auto [c, d] =
      swapped([](const spot& s) { return librarys({.seed = 61, .position = s.seed + s.position}); });
  CHECK_FALSE(independent(count, c, d));
}

TEST_CASE("the streams are independent of each other") {
  for (std::uint32_t a = 0; a <= std::uint32_t(stream::user); ++a) {
    const std::uint32_t b = (a + 1) % 10;
    CAPTURE(a);
    CHECK(words_are_independent(stream(a), 0, stream(b), 0));
    CHECK(words_are_independent(stream(a), 0, stream::draw_heads, a == 0 ? 1 : 0));
  }
  CHECK(words_are_independent(stream::softmax_draw, 0, stream::xtc_coin, 0));
  CHECK(words_are_independent(stream::softmax_draw, 0, stream::scatter_gate, 0));
  CHECK_FALSE(words_are_independent(stream::xtc_coin, 0, stream::xtc_coin, 0));
}

TEST_CASE("the words of one counter are independent of each other") {
  for (const auto& [n, m] : {std::pair{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})
    CHECK(words_are_independent(stream::draw_tails, std::size_t(n), stream::draw_tails, std::size_t(m)));
}

// The place is the first 8 bits of word 2.
TEST_CASE("the place of the smallest exponential is independent of its size and of other places") {
  const std::size_t count = tests::scaled(1'000'000);
  const auto size = [](std::uint64_t i) {
    return -std::expm1(-256 * sluice::random::noise_minimum({61, i}, 0).exponential);
  };
  const auto place = word_of(stream::draw_heads, 2);
  for (std::uint64_t i = 0; i < 1'000; ++i)
    CHECK(std::uint32_t(256 * place(i)) == sluice::random::noise_minimum({61, i}, 0).slot);
  CHECK(independent(count, size, place));
  CHECK(independent(count, place, [&](std::uint64_t i) { return place(i + 1); }));
  CHECK(independent(count, place, [](std::uint64_t i) {
    return (double(source{61, i}.at(stream::draw_heads, 1)[2]) + 0.5) * 0x1p-32;
  }));
  CHECK_FALSE(independent(count, size, word_of(stream::draw_heads, 0)));
}
