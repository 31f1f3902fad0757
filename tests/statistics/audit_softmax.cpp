#include <doctest/doctest.h>

#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/kernel/arithmetic/mass.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include "library.hpp"

// The softmax draw as a function of its 64-bit word: the words of each token are found by bisection.

using namespace tests::statistics;

namespace {

__extension__ typedef unsigned __int128 wide;
constexpr wide all_words = wide{1} << 64;

/// The first word that draws `id` or a higher token, 2^64 if there is none; found soonest near `guess`.
template <class Draw>
wide first_word(Draw& draw, sluice::token_id id, wide guess) {
  wide low = 0, high = all_words;  // the answer lies in [low, high]
  const auto look = [&](wide word) {
    if (word < low || word >= high) return;
    if (draw(static_cast<std::uint64_t>(word)) >= id) {
      high = word;
    } else {
      low = word + 1;
    }
  };
  look(guess);
  for (wide step = 1; step < all_words; step *= 2) {
    look(guess + step);
    if (step <= guess) look(guess - step);
  }
  while (low < high) look(low + (high - low) / 2);
  return high;
}

std::vector<std::uint64_t> masses_of(const row_to_draw& row, float temperature) {
  float max = tests::minus_infinity;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) max = std::max(max, row.logits[i]);
  std::vector<std::uint64_t> masses(row.logits.size(), 0);
  for (std::size_t i = 0; i < masses.size(); ++i)
    if (row.present(i))
      masses[i] = sluice::kernel::mass((double(row.logits[i]) - double(max)) * (1.0 / double(temperature)));
  return masses;
}

/// Whether each token has mass / total of the words up to 2^-53, an absent one none, and the first and the
/// last word draw a token that is there.
template <class Draw>
bool draws_by_mass(const row_to_draw& row, float temperature, Draw draw) {
  const std::vector<std::uint64_t> masses = masses_of(row, temperature);
  const std::uint64_t total = std::accumulate(masses.begin(), masses.end(), std::uint64_t{0});
  for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const sluice::token_id id = draw(word);
    if (id < 0 || std::size_t(id) >= masses.size() || masses[std::size_t(id)] == 0) return false;
  }
  std::uint64_t running = 0;
  wide first = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    running += masses[i];
    const real end = std::ceil(std::ldexp(real(running) / real(total), 64));
    const wide next = first_word(draw, sluice::token_id(i) + 1, end < 0x1p64L ? wide(end) : all_words);
    if (next < first) return false;
    if (masses[i] == 0 && next != first) return false;
    const real share = real(masses[i]) / real(total);
    if (std::fabs(std::ldexp(real(next - first), -64) - share) > 0x1p-53L) return false;
    first = next;
  }
  return first == all_words;
}

bool library_draws_by_mass(const row_to_draw& row, float temperature) {
  opened open(row, temperature);
  return draws_by_mass(row, temperature, [&](std::uint64_t word) { return open.softmax_with(word); });
}

/// A draw over the row's masses written anew; `first(running, target)` tells whether the token is found.
template <class First>
bool passes(const row_to_draw& row, std::uint64_t words_mask, First first) {
  const std::vector<std::uint64_t> masses = masses_of(row, 1);
  const std::uint64_t total = std::accumulate(masses.begin(), masses.end(), std::uint64_t{0});
  return draws_by_mass(row, 1, [&](std::uint64_t word) {
    const std::uint64_t target = std::uint64_t(wide{word & words_mask} * total >> 64);
    std::uint64_t running = 0;
    for (std::size_t i = 0; i < masses.size(); ++i)
      if (first(running += masses[i], target)) return sluice::token_id(i);
    return sluice::token_id(masses.size()) - 1;
  });
}

bool passes_with_float_sums(const row_to_draw& row) {
  float total = 0;
  for (const float l : row.logits) total += std::exp(l);
  return draws_by_mass(row, 1, [&](std::uint64_t word) {
    const float target = static_cast<float>(std::ldexp(double(word), -64)) * total;
    float running = 0;
    for (std::size_t i = 0; i < row.logits.size(); ++i)
      if ((running += std::exp(row.logits[i])) > target) return sluice::token_id(i);
    return sluice::token_id(row.logits.size()) - 1;
  });
}

}  // namespace

TEST_CASE("the softmax draw gives each token its mass in words, and an absent token none") {
  for (const form f : every_form) {
    for (const std::size_t size : {1u, 2u, 3u, 40u, 256u, 300u}) {
      CAPTURE(to_text(f));
      CAPTURE(size);
      const row_to_draw row = make_row_to_draw(f, size, 31 * size);
      for (const float temperature : {0.1f, 0.5f, 1.0f, 2.0f, 10.0f})
        CHECK(library_draws_by_mass(row, temperature));
    }
  }
}

TEST_CASE("the softmax draw gives each of 4,096 tokens its mass in words") {
  for (const form f : every_form) {
    if (!tests::long_run() && f != form::wide && f != form::masked) continue;
    CAPTURE(to_text(f));
    CHECK(library_draws_by_mass(make_row_to_draw(f, 4'096, 7), 1));
    if (tests::long_run()) CHECK(library_draws_by_mass(make_row_to_draw(f, 4'096, 8), 0.5f));
  }
}

TEST_CASE("the softmax draw gives no word to absent tokens at either end or far below the top") {
  row_to_draw row = make_row_to_draw(form::wide, 300, 5);
  for (const std::size_t absent : {0u, 1u, 150u, 298u, 299u}) row.logits[absent] = tests::minus_infinity;
  row.logits[2] = -60;
  row.logits[297] = tests::not_a_number;
  CHECK(library_draws_by_mass(row, 1));
  CHECK(library_draws_by_mass(row, 0.1f));
}

TEST_CASE("the words tell a faulty inverse CDF from the right one") {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  constexpr std::uint64_t first_24_bits = all << 40;
  const auto above = [](std::uint64_t running, std::uint64_t target) { return running > target; };
  const auto reached = [](std::uint64_t running, std::uint64_t target) { return running >= target; };
  for (const form f : every_form) {
    CAPTURE(to_text(f));
    const row_to_draw row = make_row_to_draw(f, 40, 3);
    CHECK(passes(row, all, above));
    CHECK_FALSE(passes(row, all, reached));
    CHECK_FALSE(passes(row, first_24_bits, above));
  }
  CHECK_FALSE(passes_with_float_sums(make_row_to_draw(form::wide, 40, 3)));
  CHECK_FALSE(passes_with_float_sums(make_row_to_draw(form::flat, 4'000, 3)));
}
