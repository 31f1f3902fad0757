#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "library.hpp"

// Rare events, with what a uniform of 24 bits does to them.

using namespace tests::statistics;

namespace {

constexpr std::size_t tail_tokens = 262'144;
constexpr std::size_t batch = 100'000;

row_to_draw tail_row(float top) {
  row_to_draw row{std::vector<float>(tail_tokens + 1, 0.0f)};
  row.logits[0] = top;
  return row;
}

/// Positions of a batch at which is_tail(position): at T = 1 and 20 nats below the top 54.0 are due.
template <class IsTail>
std::vector<std::uint64_t> tail_draws(std::uint64_t batch_number, IsTail is_tail) {
  std::vector<std::uint64_t> positions;
  for (std::uint64_t p = batch_number * batch; p < (batch_number + 1) * batch; ++p)
    if (is_tail(p)) positions.push_back(p);
  return positions;
}

template <class IsTail>
bool draws_the_tail(IsTail is_tail) {
  return range{22, 94}.holds(tail_draws(0, is_tail).size());
}

/// The tail's largest uniform in one number, by its law U^(1/n), then cut to `bits` bits.
bool tail_wins_with(int bits, tests::generator& g) {
  const auto cut = [bits](double u) {
    return (std::floor(std::ldexp(u, bits)) + 0.5) * std::ldexp(1.0, -bits);
  };
  const auto gumbel = [](double u) { return -std::log(-std::log(u)); };
  const double top = 20 + gumbel(cut(g.uniform()));
  return gumbel(cut(std::pow(g.uniform(), 1.0 / double(tail_tokens)))) > top;
}

}  // namespace

// 20.5 below the top: unit/faults_draw.cpp.
TEST_CASE("a tail of 262,144 tokens 20 below the top is drawn as often as it weighs") {
  const row_to_draw row = tail_row(20);
  opened open(row);
  const std::size_t batches = tests::scaled(10);
  std::size_t all = 0;
  for (std::uint64_t b = 0; b < batches; ++b) {
    const auto tail = tail_draws(b, [&](std::uint64_t p) { return open.gumbel(42, p) != 0; });
    CHECK(range{22, 94}.holds(tail.size()));
    all += tail.size();
  }
  MESSAGE(all << " of " << 54.00 * double(batches) << " due");
  CHECK(poisson_range(54.00 * double(batches)).holds(all));
}

// The words of the tail are those after the top token's; the draw itself is asked where they come up, and at
// some positions more.
TEST_CASE("the softmax draw gives the same tail its share") {
  const row_to_draw row = tail_row(20);
  opened open(row);
  std::uint64_t low = 0, high = ~std::uint64_t{0};  // the top token's last word lies in [low, high]
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    if (open.softmax_with(middle) == 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const std::size_t batches = tests::scaled(600);
  std::size_t all = 0;
  for (std::uint64_t b = 0; b < batches; ++b) {
    const auto tail = tail_draws(b, [&](std::uint64_t p) { return opened::word_of(42, p) > low; });
    CHECK(range{22, 94}.holds(tail.size()));
    all += tail.size();
    if (b != 0) continue;
    for (const std::uint64_t p : tail) CHECK(open.softmax(42, p) != 0);
    for (std::uint64_t p = 0; p < 100; ++p)
      CHECK((open.softmax(42, p) != 0) == (opened::word_of(42, p) > low));
  }
  MESSAGE(all << " of " << 54.00 * double(batches) << " due");
  CHECK(poisson_range(54.00 * double(batches)).holds(all));
}

TEST_CASE("the tail tells a uniform of 24 bits and sums in float") {
  tests::generator exact(1), narrow(1);
  CHECK(draws_the_tail([&](std::uint64_t) { return tail_wins_with(52, exact); }));
  CHECK_FALSE(draws_the_tail([&](std::uint64_t) { return tail_wins_with(24, narrow); }));
  float total = std::exp(20.0f);
  for (std::size_t i = 0; i < tail_tokens; ++i) total += 1;
  CHECK_FALSE(draws_the_tail([&](std::uint64_t p) {
    const auto u = static_cast<float>(opened::word_of(42, p) >> 40) * 0x1p-24f;
    return u * total >= std::exp(20.0f);
  }));
}

namespace {

/// Of 100 and 4,095 zeros: nothing but the 100, ever.
template <class Draw>
bool always_draws_the_top(std::size_t draws, Draw draw) {
  for (std::uint64_t position = 0; position < draws; ++position)
    if (draw(position) != 1'234) return false;
  return true;
}

}  // namespace

// A uniform of 24 bits that may be 0 gives noise +inf to one token in 2^24. The library is asked the same in
// unit/faults_draw.cpp.
TEST_CASE("100,000 draws tell a uniform that is closed at an end") {
  row_to_draw row{std::vector<float>(4'096, 0.0f)};
  row.logits[1'234] = 100;
  const auto with_step = [&](double offset) {
    return [&row, offset](std::uint64_t position) {
      return largest_score(row, 1, position, [offset](std::uint64_t p, std::uint32_t token) {
        const std::uint32_t word =
            sluice::random::source{8, p}.at(sluice::random::stream::draw_tails, token / 4)[token % 4];
        return -std::log(-std::log1p(-(double(word >> 8) + offset) * 0x1p-24));
      });
    };
  };
  CHECK(always_draws_the_top(2'000, with_step(0.5)));
  CHECK_FALSE(always_draws_the_top(100'000, with_step(0)));
}
