#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/sequence_bodies.hpp>

#include <cstdint>
#include <set>
#include <vector>

#include "library.hpp"

// A seed and a position are all that a draw knows: the same two draw the same token, others another.

using namespace tests::statistics;

namespace {

const row_to_draw row_of_thousand{std::vector<float>(1'000, 0.0f)};

/// Sequences with nothing but a start of their own: their seeds, and the first 8 tokens of each.
template <class Start>
bool all_differ(Start start) {
  const library_chain chain{sluice::sampling_params{}};
  std::set<std::uint64_t> seeds;
  std::set<std::vector<sluice::token_id>> stories;
  for (int i = 0; i < 10; ++i) {
    sluice::sequence sequence = start();
    seeds.insert(sequence.seed());
    for (int step = 0; step < 8; ++step) sequence.accept(chain.sample(row_of_thousand, sequence));
    stories.emplace(sequence.tokens().begin(), sequence.tokens().end());
  }
  return seeds.size() == 10 && stories.size() == 10;
}

/// Whether draw(seed, position) gives one token a position however often it is asked, and rarely the
/// neighbour's.
template <class Draw>
bool belongs_to_positions(Draw draw) {
  std::vector<sluice::token_id> first;
  for (std::uint64_t p = 0; p < 1'000; ++p) first.push_back(draw(111, p));
  std::size_t equal = 0, equal_in_other_seed = 0;
  for (std::uint64_t p = 1'000; p-- > 0;) {
    if (draw(111, p) != first[p]) return false;
    equal += p > 0 && first[p] == first[p - 1];
    equal_in_other_seed += draw(112, p) == first[p];
  }
  return equal <= 9 && equal_in_other_seed <= 9;  // 1 is due
}

sluice::token_id sampled(sluice::draw_method draw, std::uint64_t seed, std::uint64_t position) {
  sluice::sampling_params p;
  p.draw = draw;
  return library_chain(p).sample(row_of_thousand, seed, position);
}

}  // namespace

TEST_CASE("ten sequences without a seed tell ten stories") {
  CHECK(all_differ([] { return sluice::sequence(); }));
  // Seeds from a clock of seconds.
  CHECK_FALSE(all_differ([clock = 0]() mutable { return sluice::sequence(std::uint64_t(clock++ / 8)); }));
}

TEST_CASE("a position draws its token again, and another position or seed another") {
  using sluice::draw_method;
  using number = std::uint64_t;
  CHECK(belongs_to_positions([](number seed, number p) { return sampled(draw_method::gumbel, seed, p); }));
  CHECK(belongs_to_positions([](number seed, number p) { return sampled(draw_method::softmax, seed, p); }));
  CHECK_FALSE(
      belongs_to_positions([](number seed, number) { return sampled(draw_method::gumbel, seed, 0); }));
  CHECK_FALSE(belongs_to_positions([](number, number p) { return sampled(draw_method::gumbel, 0, p); }));
  CHECK_FALSE(belongs_to_positions([state = number{0}](number seed, number) mutable {
    return sampled(draw_method::gumbel, seed, state++);
  }));
}

TEST_CASE("accepting, rewinding and starting late lead to the same positions") {
  for (const auto draw : {sluice::draw_method::gumbel, sluice::draw_method::softmax}) {
    sluice::sampling_params p;
    p.draw = draw;
    const library_chain chain(p);
    sluice::sequence sequence(113);
    std::vector<sluice::token_id> story;
    for (int step = 0; step < 50; ++step) {
      story.push_back(chain.sample(row_of_thousand, sequence));
      CHECK(chain.sample(row_of_thousand, sequence) == story.back());
      sequence.accept(story.back());
    }
    sequence.rewind(20);
    for (std::size_t step = 30; step < 50; ++step) {
      CHECK(chain.sample(row_of_thousand, sequence) == story[step]);
      sequence.accept(story[step]);
    }
    for (std::uint64_t step = 0; step < 50; ++step) CHECK(sampled(draw, 113, step) == story[step]);
  }
}
