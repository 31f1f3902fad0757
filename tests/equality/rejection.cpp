// Dual-pivot rejection, its rounds counted: the winner among the sort's survivors, however few rounds it has.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sluice/sluice.hpp>
#include <string>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace {

using sluice::draw::rejected;
using sluice::kernel::rank_key;
using tests::generator;

/// What survives: the nucleus, and min-p and top-k beside it as the joint rule has them.
struct cuts {
  float top_p = 0.9f, min_p = 0;
  int min_keep = 0;
  std::size_t top_k = 0;
  double temperature = 1;
};

std::string to_text(const cuts& c) {
  return "top_p " + std::to_string(c.top_p) + " min_p " + std::to_string(c.min_p) + " min_keep " +
         std::to_string(c.min_keep) + " top_k " + std::to_string(c.top_k) + " T " +
         std::to_string(c.temperature);
}

cuts random_cuts(generator& g, std::size_t size) {
  cuts c;
  const float tenths = static_cast<float>(g.below(10)) / 10;  // 1 is off
  c.top_p = g.chance(0.5) ? tenths : static_cast<float>(g.uniform());
  if (g.chance(0.1)) c.top_p = 0x1.fffffep-1f;
  if (g.chance(0.3)) c.min_p = static_cast<float>(g.uniform(0, 0.4));
  if (g.chance(0.2)) c.min_keep = g.between(0, 20);
  if (g.chance(0.3)) c.top_k = 1 + g.below(size);
  if (g.chance(0.7)) c.temperature = std::exp(g.uniform(-2, 2));
  return c;
}

class opened {
 public:
  opened(const std::vector<float>& logits, sluice::truncation_engine engine)
      : row_(logits, call_, memory_, engine) {
    sluice::detail::row_internals::add_biases(row_, {});
    row_.reference();
  }
  sluice::row& row() { return row_; }

 private:
  sluice::workspace memory_;
  sluice::call_options call_;
  sluice::row row_;
};

sluice::nucleus nucleus_of(const cuts& c) {
  return {.top_k = static_cast<int>(c.top_k),
          .top_p = c.top_p,
          .min_p = c.min_p,
          .top_p_min_keep = c.min_keep,
          .min_p_min_keep = c.min_keep};
}

/// The winner among all survivors of the cut, in order and in full.
struct sorted {
  rank_key winner = 0;
  double inside = 0;  // the share of the mass
};

sorted by_sort(const std::vector<float>& logits, const cuts& c, sluice::random::source from) {
  opened whole(logits, sluice::truncation_engine::sort);
  sluice::row& r = whole.row();
  const double total = static_cast<double>(r.total_mass());
  sluice::cut::keep_nucleus(r, nucleus_of(c));
  sorted result;
  result.inside = static_cast<double>(r.total_mass()) / total;
  r.set_temperature(c.temperature);
  result.winner = sluice::draw::gumbel_max(r, from).full_winner();
  return result;
}

/// As a chain rejects, with so many rounds.
rejected by_rejection(const std::vector<float>& logits, const cuts& c, sluice::random::source from,
                      int rounds) {
  opened whole(logits, sluice::truncation_engine::select);
  return sluice::draw::from_nucleus(whole.row(), from, nucleus_of(c), c.temperature, rounds);
}

/// With all its rounds and starved of them; what it took with all of them.
rejected rejection_agrees(const std::vector<float>& logits, const cuts& c, sluice::random::source from,
                          const sorted& expected) {
  INFO(tests::to_text(logits) << " " << to_text(c));
  const rejected free = by_rejection(logits, c, from, sluice::draw::most_rounds);
  REQUIRE(free.winner == expected.winner);
  REQUIRE_FALSE(free.fell_back);
  REQUIRE(free.rounds >= 1);
  REQUIRE(free.rounds <= sluice::draw::most_rounds);
  for (int rounds = 0; rounds <= 2; ++rounds) {
    const rejected starved = by_rejection(logits, c, from, rounds);
    REQUIRE(starved.winner == expected.winner);
    REQUIRE(starved.fell_back == (free.rounds > rounds));
    REQUIRE(starved.rounds == std::min(free.rounds, rounds + 1));
  }
  return free;
}

void rejection_agrees(generator& g, const std::vector<float>& logits) {
  const cuts c = random_cuts(g, logits.size());
  const sluice::random::source from{g.next(), g.next()};
  rejection_agrees(logits, c, from, by_sort(logits, c, from));
}

}  // namespace

TEST_CASE("rejection gives the winner among the sort's survivors, and starved of rounds falls back to it") {
  generator g(81);
  for (std::size_t i = 0; i < (tests::long_run() ? 200'000 : tests::scaled(80'000)); ++i)
    rejection_agrees(g, tests::make_row(g, g.pick(tests::every_shape), 1 + g.below(1024)));
  for (std::size_t i = 0; i < tests::scaled(1'000); ++i)
    rejection_agrees(g, tests::make_row(g, g.pick(tests::every_shape), 1024 + g.below(40'000)));
}

// A key between the last survivor and the next token may be called either.
TEST_CASE("the test of one key knows the sort's nucleus, for tokens of the row and keys between them") {
  generator g(82);
  for (std::size_t i = 0; i < tests::scaled(4'000); ++i) {
    const std::size_t size = i % 2 == 0 ? 1 + g.below(1024) : 16'384 + g.below(24'000);
    const std::vector<float> row = tests::make_row(g, g.pick(tests::every_shape), size);
    const cuts c = random_cuts(g, size);
    INFO(tests::to_text(row) << " " << to_text(c));
    opened ordered(row, sluice::truncation_engine::sort);
    const rank_key last = sluice::cut::last_of_mass(ordered.row(), c.top_p, c.min_keep);
    rank_key next = 0;
    ordered.row().each([&](sluice::token_id id, float l) {
      const rank_key key = sluice::kernel::key_of(l, id);
      if (key < last) next = std::max(next, key);
    });
    opened whole(row, sluice::truncation_engine::select);
    const sluice::cut::nucleus_test test(whole.row(), c.top_p, c.min_keep);
    std::vector<rank_key> keys{last, last + 1, next, next - 1, test.first_pivot(), test.kept_by_min_keep()};
    for (int k = 0; k < 8; ++k) {
      const std::size_t at = g.below(size);
      const rank_key key = sluice::kernel::key_of(row[at], static_cast<sluice::token_id>(at));
      keys.push_back(key);
      keys.push_back(last / 2 + key / 2);
    }
    for (const rank_key key : keys) {
      INFO("key " << key << " last " << last << " next " << next);
      if (!(sluice::kernel::logit_of(key) >= sluice::kernel::lowest)) continue;
      if (key >= last) REQUIRE(test(key));
      if (key <= next) REQUIRE_FALSE(test(key));
    }
  }
}

// A draw among the tokens above any pivot is inside with probability p at least, so the rounds are at most
// geometric: 1 / p in the mean. The first draw is refused as often as the mass outside says.
TEST_CASE("rejection for p .9 takes 1.11 rounds in the mean at most, and refuses what lies outside") {
  generator g(83);
  const cuts c{.top_p = 0.9f};
  const std::size_t count = tests::scaled(40'000);
  for (const tests::shape shape : tests::every_shape) {
    double rounds = 0, refused = 0, outside = 0;
    int most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<float> row = tests::make_row(g, shape, 1 + g.below(400));
      const sluice::random::source from{83, i};
      const sorted expected = by_sort(row, c, from);
      const rejected r = by_rejection(row, c, from, sluice::draw::most_rounds);
      REQUIRE(r.winner == expected.winner);
      rounds += r.rounds;
      most = std::max(most, r.rounds);
      refused += r.rounds > 1;
      outside += 1 - expected.inside;
    }
    const double n = static_cast<double>(count);
    MESSAGE(tests::to_text(shape) << ": " << rounds / n << " rounds in the mean, " << most
                                  << " at most, of p .9 at T 1");
    CHECK(rounds / n <= 1 / 0.9 + 5 * std::sqrt(0.1) / 0.9 / std::sqrt(n));
    CHECK(most <= sluice::draw::most_rounds);
    CHECK(std::fabs(refused - outside) <= 5 * std::sqrt(outside) + 5);
  }
}
