// The pruned Gumbel draw against the full evaluation.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <sluice/sluice.hpp>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace {

using tests::generator;

/// The winners of the pruned and of the full draw, of all survivors and of those above a random key.
void draws_agree(generator& g, const std::vector<float>& logits, double temperature,
                 sluice::workspace& memory) {
  const sluice::call_options call;
  sluice::row row(logits, call, memory, sluice::truncation_engine::select);
  row.add_biases({});
  row.temper(temperature);
  if (g.chance(0.3)) row.keep_at_least(double(row.max()) - g.uniform(0, 4));
  if (g.chance(0.2)) row.keep_top(1 + std::int64_t(g.below(logits.size())));
  sluice::draw::gumbel_max race(row, {g.next(), g.below(1000)});
  const auto winner = race.winner();
  INFO(tests::to_text(logits) << " T " << temperature);
  REQUIRE(winner == race.full_winner());
  REQUIRE(race.winner(winner) == race.full_winner(winner));  // the runner-up by rank above the winner
}

}  // namespace

TEST_CASE("the pruned draw is the full draw on short rows of every shape") {
  generator g(21);
  sluice::workspace memory;
  for (std::size_t i = 0; i < tests::scaled(100'000); ++i) {
    std::vector<float> row = tests::make_row(g, g.pick(tests::all_shapes), 1 + g.below(1024));
    if (g.chance(0.05))
      for (float& l : row) l *= 1e37f;
    draws_agree(g, row, std::exp(g.uniform(std::log(1e-5), std::log(1e4))), memory);
  }
}

TEST_CASE("the pruned draw is the full draw on long rows") {
  generator g(22);
  sluice::workspace memory;
  for (const std::size_t size : {32'000u, 128'256u, 151'936u, 262'144u})
    for (const tests::shape shape : tests::all_shapes)
      for (std::size_t i = 0; i < tests::scaled(20); ++i)
        draws_agree(g, tests::make_row(g, shape, size), g.uniform(0.2, 3), memory);
}
