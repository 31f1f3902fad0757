// Copies, rewinds and forks.

#include <doctest/doctest.h>

#include <sluice/sluice.hpp>
#include <utility>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace {

using tests::generator;

sluice::sampling_params with_history() {
  sluice::sampling_params p;
  p.temperature = 1.2f;
  p.repetition_penalty = 1.1f;
  p.frequency_penalty = 0.2f;
  p.penalty_last_n = 20;
  p.occurrence_counts_prompt = false;
  p.dry_multiplier = 0.8f;
  p.dry_sequence_breakers = {{3}, {4, 5}};
  p.top_p = 0.95f;
  p.scatter_strength = 0.2f;
  p.scatter_absorption = 0.1f;
  p.xtc_probability = 0.5f;
  return p;
}

std::vector<sluice::token_id> tell(const sluice::standard_chain& chain, sluice::sequence& q,
                                   const std::vector<std::vector<float>>& rows, std::size_t count) {
  std::vector<sluice::token_id> told;
  for (std::size_t i = 0; i < count; ++i) {
    const auto drawn = chain.sample(rows[q.position() % rows.size()], q);
    REQUIRE(drawn);
    told.push_back(drawn.token);
    q.accept(drawn.token);
  }
  return told;
}

}  // namespace

TEST_CASE("a copied and a rewound sequence go on with the same tokens, a fork with others") {
  generator g(41);
  const sluice::standard_chain chain(with_history());
  for (std::size_t i = 0; i < tests::scaled(500); ++i) {
    std::vector<std::vector<float>> rows;
    for (int r = 0; r < 7; ++r) rows.push_back(tests::make_row(g, tests::shape::gaussian, 40));
    sluice::sequence q(g.next());
    q.accept_prompt(std::vector<sluice::token_id>{1, 2, 3, 1, 2});
    tell(chain, q, rows, g.below(60));
    if (g.chance(0.5)) q.accept_prompt(std::vector<sluice::token_id>{4, 5, 1});

    sluice::sequence copy = q;
    sluice::sequence fork = q.fork(g.next());
    sluice::sequence assigned(1);
    assigned = q;
    const auto told = tell(chain, q, rows, 40);
    CHECK(tell(chain, copy, rows, 40) == told);
    CHECK(tell(chain, assigned, rows, 40) == told);
    CHECK(tell(chain, fork, rows, 40) != told);

    const std::size_t back = 1 + g.below(40);
    q.rewind(back);
    for (std::size_t k = 0; k < back; ++k)
      q.accept(static_cast<sluice::token_id>(g.below(6)));  // a false start
    tell(chain, q, rows, g.below(3));
    q.rewind(q.tokens().size() - (copy.tokens().size() - back));
    const auto again = tell(chain, q, rows, back);
    CHECK(std::vector(told.end() - static_cast<std::ptrdiff_t>(back), told.end()) == again);
  }
}

TEST_CASE("sampling twice without accepting gives the same token twice") {
  generator g(42);
  sluice::sampler sampler(with_history());
  for (int i = 0; i < 100; ++i) {
    const auto row = tests::make_row(g, tests::shape::gaussian, 300);
    const auto first = sampler.sample(row);
    CHECK(sampler.sample(row).token == first.token);
    CHECK(sampler.next(row).token == first.token);
  }
}

TEST_CASE("interleaved sequences draw as if each were alone") {
  generator g(43);
  const sluice::standard_chain chain(with_history());
  std::vector<std::vector<float>> rows;
  for (int r = 0; r < 5; ++r) rows.push_back(tests::make_row(g, tests::shape::gaussian, 700));
  std::vector<sluice::sequence> together;
  std::vector<std::vector<sluice::token_id>> expected, told(4);
  for (std::uint64_t s = 0; s < 4; ++s) {
    sluice::sequence alone(s);
    expected.push_back(tell(chain, alone, rows, 50));
    together.emplace_back(s);
  }
  for (int step = 0; step < 50; ++step)
    for (std::size_t s = 0; s < 4; ++s) told[s].push_back(tell(chain, together[s], rows, 1)[0]);
  CHECK(told == expected);
}
