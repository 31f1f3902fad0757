// The pruned Gumbel draw against the full evaluation.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sluice/sluice.hpp>
#include <string>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace {

using tests::generator;

/// The winners of the pruned and of the full draw, of all survivors and of those above a random key; the
/// blocks that the first one opened.
std::size_t draws_agree(generator& g, const std::vector<float>& logits, double temperature,
                        sluice::workspace& memory) {
  const sluice::call_options call;
  sluice::row row(logits, call, memory, sluice::truncation_engine::select);
  sluice::detail::row_internals::add_biases(row, {});
  row.set_temperature(temperature);
  if (g.chance(0.3)) row.keep_at_least(double(row.max()) - g.uniform(0, 4));
  if (g.chance(0.2)) row.keep_top(1 + std::int64_t(g.below(logits.size())));
  sluice::draw::gumbel_max race(row, {g.next(), g.below(1000)});
  const auto winner = race.winner();
  const std::size_t opened = race.opened();
  INFO(tests::to_text(logits) << " T " << temperature);
  REQUIRE(winner != 0);
  REQUIRE(winner == race.full_winner());
  REQUIRE(race.winner(winner) == race.full_winner(winner));  // the runner-up by rank above the winner
  return opened;
}

std::size_t blocks_of(std::size_t size) {
  return (size + sluice::detail::block_size - 1) / sluice::detail::block_size;
}

/// Blocks opened in some draws.
struct tally {
  std::size_t draws = 0, opened = 0, most = 0;

  void add(std::size_t blocks) {
    ++draws;
    opened += blocks;
    most = std::max(most, blocks);
  }
  double mean() const { return static_cast<double>(opened) / static_cast<double>(draws); }
};

// A block can win with probability 256 e^max / sum e^l at most (its smallest exponential against that of the
// row), the sum of which over all blocks is 256; the score found at first is not yet the best.
constexpr double most_in_the_mean = 512;

/// One token a block stands out: every block promises as much as any row can make it.
std::vector<float> spikes(generator& g, std::size_t size) {
  std::vector<float> row(size, -30.0f);
  for (std::size_t b = 0; b < blocks_of(size); ++b) row[std::min(size - 1, 256 * b + g.below(256))] = 0;
  return row;
}

}  // namespace

// Quick runs try 2,000 rows a shape: a tenth of a million would take longer than all other tests here.
TEST_CASE("the pruned draw is the full draw on short rows of every shape") {
  sluice::workspace memory;
  const std::size_t count = tests::long_run() ? 1'000'000 : tests::scaled(20'000);
  for (const tests::shape shape : tests::every_shape) {
    generator g(21 + static_cast<std::uint64_t>(shape));
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> row = tests::make_row(g, shape, 1 + g.below(1024));
      if (g.chance(0.05))
        for (float& l : row) l = sluice::kernel::saturated(double(l) * 1e37);
      draws_agree(g, row, std::exp(g.uniform(std::log(1e-5), std::log(1e4))), memory);
    }
  }
}

TEST_CASE("the pruned draw is the full draw on long rows, and opens no more than 512 blocks in the mean") {
  sluice::workspace memory;
  std::vector<std::size_t> sizes{32'000};
#ifdef NDEBUG
  sizes.insert(sizes.end(), {128'256, 151'936, 262'144});
#endif
  for (const std::size_t size : sizes) {
    std::string shown;
    const auto count = [&](const std::string& name, auto make) {
      generator g(22);
      tally seen;
      for (std::size_t i = 0; i < (tests::long_run() ? 100 : tests::scaled(30)); ++i)
        seen.add(draws_agree(g, make(g), g.uniform(0.2, 3), memory));
      CHECK(seen.mean() >= 1);
      CHECK(seen.mean() <= most_in_the_mean);
      CHECK(seen.most <= blocks_of(size));
      shown += ", " + name + " " + std::to_string(std::lround(seen.mean()));
    };
    for (const tests::shape shape : tests::every_shape)
      count(tests::to_text(shape), [&](generator& g) { return tests::make_row(g, shape, size); });
    count("spikes", [&](generator& g) { return spikes(g, size); });
    MESSAGE("blocks opened of " << blocks_of(size) << ", in the mean" << shown);
  }
}
