#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "library.hpp"
#include "noise_field.hpp"
#include "oracle_draw.hpp"
#include "rows.hpp"

// Which word of which counter each number comes from, worked out a second time.

using namespace tests::statistics;

namespace {

std::uint64_t some_word(tests::generator& g) {
  constexpr std::array masks{~std::uint64_t{0}, std::uint64_t{0xffffffff}, std::uint64_t{0xff}};
  return g.next() & g.pick(masks);
}

/// Whether noise(seed, position, token) is the library's, but for the rounding of its two logarithms.
template <class Noise>
bool is_the_librarys(Noise noise) {
  tests::generator g(21);
  for (std::size_t i = tests::scaled(1'000'000); i > 0; --i) {
    const sluice::random::source from{some_word(g), some_word(g)};
    auto token = static_cast<std::uint32_t>(g.below(std::size_t{1} << g.between(1, 20)));
    if (g.chance(0.2)) token = token / 256 * 256 + sluice::random::noise_minimum(from, token / 256).slot;
    const double found = sluice::random::noise(from, token);
    const auto expected = static_cast<double>(noise(from.seed, from.position, token));
    if (!(std::fabs(found - expected) <= 0x1p-51 * (1 + std::fabs(expected)))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the noise of a token comes from the documented words") {
  CHECK(is_the_librarys([](std::uint64_t seed, std::uint64_t position, std::uint32_t token) {
    return tests::oracle::noise_of({seed, position}, token);
  }));
}

TEST_CASE("noise from any other word is another noise") {
  const auto is = [](fault f) {
    return is_the_librarys([f](std::uint64_t seed, std::uint64_t position, std::uint32_t token) {
      return noise_of(f, seed, position, token);
    });
  };
  CHECK(is(fault::none));
  CHECK_FALSE(is(fault::uniform_of_24_bits));
  CHECK_FALSE(is(fault::head_not_divided));
  CHECK_FALSE(is(fault::tail_at_smallest));
  CHECK_FALSE(is(fault::shared_by_neighbours));
  CHECK_FALSE(is(fault::tails_of_the_heads_stream));
  CHECK_FALSE(is(fault::tail_words_one_by_one));
  CHECK_FALSE(is(fault::place_from_the_low_byte));
  CHECK_FALSE(is(fault::position_ignored));
  CHECK_FALSE(is(fault::position_high_ignored));
  CHECK_FALSE(is(fault::seed_high_ignored));
}

namespace {

/// Whether draw(row, temperature, now) is the token with the largest score, each worked out in long double.
template <class Draw>
bool draws_the_largest_score(Draw draw) {
  tests::generator g(22);
  std::size_t close = 0;
  const std::size_t rows = tests::scaled(20'000);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<float> logits = tests::make_row(g, g.pick(tests::all_shapes), 1 + g.below(700));
    const auto temperature = static_cast<float>(std::exp(g.uniform(-3, 3)));
    const tests::oracle::place_in_time now{some_word(g), some_word(g)};
    tests::oracle::draw_input input;
    input.temperature = temperature;
    for (std::size_t t = 0; t < logits.size(); ++t)
      if (logits[t] > tests::minus_infinity)
        input.survivors.tokens.push_back({static_cast<int>(t), logits[t]});
    input.reference = input.survivors.max();
    const tests::oracle::drawn expected = tests::oracle::gumbel_draw(input, now);
    if (expected.distance < 1e-12L) {
      ++close;
    } else if (draw(logits, temperature, now) != expected.id) {
      return false;
    }
  }
  return close <= rows / 100;
}

sluice::token_id sampled(const std::vector<float>& logits, float temperature, std::uint64_t seed,
                         std::uint64_t position) {
  sluice::sampling_params p;
  p.temperature = temperature;
  return library_chain(p).sample({logits}, seed, position);
}

}  // namespace

TEST_CASE("the draw is the token with the largest score") {
  CHECK(draws_the_largest_score([](const auto& logits, float temperature, const auto& now) {
    return sampled(logits, temperature, now.seed, now.position);
  }));
  CHECK_FALSE(draws_the_largest_score(
      [](const auto& logits, float, const auto& now) { return sampled(logits, 1, now.seed, now.position); }));
  CHECK_FALSE(draws_the_largest_score([](const auto& logits, float temperature, const auto& now) {
    return sampled(logits, temperature, now.seed, now.position + 1);
  }));
}
