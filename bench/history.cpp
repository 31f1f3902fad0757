// What a step costs in the history alone, without a row: a token is accepted and the history read.
// history/reading/tokens/text; the tests bound the same searches by a count of steps (tests/rules/dry.cpp).
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "works.hpp"

namespace bench {
namespace {

using tokens = std::vector<sluice::token_id>;

constexpr std::size_t length = 32'768, steps = 1'024;

tokens repeated(const tokens& what, std::size_t size) {
  tokens result;
  result.reserve(size);
  for (std::size_t i = 0; i < size; ++i) result.push_back(what[i % what.size()]);
  return result;
}

tokens joined(std::initializer_list<tokens> parts) {
  tokens result;
  for (const tokens& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

/// A word of 181 tokens that differ in the last one.
tokens long_period(std::size_t size) { return repeated(joined({repeated({1}, 180), {2}}), size); }

/// Three stretches of one period, cut by tokens of their own: matches overlap and are compared often.
tokens cut_periods(std::size_t size) {
  const tokens third = repeated({1, 1, 1, 2}, length / 3);
  return joined({third, {3}, third, {3, 3}, repeated({1, 1, 1, 2}, size - 2 * third.size() - 3)});
}

tokens drawn(past kind, std::size_t size) {
  tests::generator g(7);
  return history(kind, size, 128'256, g);
}

/// Accepts a token a step and calls `read`; the last `steps` tokens of the text again and again.
template <class Read>
void each_step(benchmark::State& state, const tokens& text, Read&& read) {
  sluice::sequence sequence(0);
  sequence.reserve(text.size());
  const std::span<const sluice::token_id> all(text);
  const std::size_t first = all.size() - steps;
  sequence.accept(all.first(first));
  read(sequence);
  std::size_t at = first;
  for (auto _ : state) {
    if (at == all.size()) {
      sequence.rewind(steps);
      at = first;
    }
    sequence.accept(all[at++]);
    read(sequence);
  }
}

void repeats(benchmark::State& state, const tokens& text) {
  const sluice::dry_rules rules = sluice::make_dry_rules(2, -1, {});
  sluice::workspace memory;
  each_step(state, text, [&](sluice::sequence& sequence) {
    const auto found = sequence.repeats(rules, memory);
    benchmark::DoNotOptimize(found->data());
  });
}

void draft(benchmark::State& state, const tokens& text, const sluice::lookup_rules& rules) {
  std::array<sluice::token_id, 8> drafts{};
  each_step(state, text, [&](sluice::sequence& sequence) {
    benchmark::DoNotOptimize(sluice::draft_from_history(sequence, drafts, rules));
    benchmark::DoNotOptimize(drafts.data());
  });
}

void window(benchmark::State& state, const tokens& text) {
  each_step(state, text, [](sluice::sequence& sequence) {
    const sluice::token_counts seen = sequence.window(-1);
    benchmark::DoNotOptimize(seen.begin());
  });
}

BENCHMARK_CAPTURE(repeats, natural, drawn(past::natural, length + steps))
    ->Name("history/repeats/32768/natural");
BENCHMARK_CAPTURE(repeats, periodic, drawn(past::periodic, length + steps))
    ->Name("history/repeats/32768/periodic");
BENCHMARK_CAPTURE(repeats, equal, repeated({1}, length + steps))->Name("history/repeats/32768/equal");
BENCHMARK_CAPTURE(repeats, long_period, long_period(length + steps))
    ->Name("history/repeats/32768/long_period");
BENCHMARK_CAPTURE(repeats, cut_periods, cut_periods(length + steps))
    ->Name("history/repeats/32768/cut_periods");
BENCHMARK_CAPTURE(draft, natural, drawn(past::natural, length + steps), {})
    ->Name("history/draft/32768/natural");
BENCHMARK_CAPTURE(draft, natural_votes, drawn(past::natural, length + steps), {.votes = 3})
    ->Name("history/draft/32768/natural_3_votes");
BENCHMARK_CAPTURE(draft, natural_one, drawn(past::natural, length + steps), {.min_match = 1})
    ->Name("history/draft/32768/natural_from_1");
BENCHMARK_CAPTURE(draft, periodic, drawn(past::periodic, length + steps), {})
    ->Name("history/draft/32768/periodic");
BENCHMARK_CAPTURE(draft, equal, repeated({1}, length + steps), {})->Name("history/draft/32768/equal");
BENCHMARK_CAPTURE(draft, long_period, long_period(length + steps), {})
    ->Name("history/draft/32768/long_period");
BENCHMARK_CAPTURE(draft, cut_periods, cut_periods(length + steps), {})
    ->Name("history/draft/32768/cut_periods");
BENCHMARK_CAPTURE(window, natural, drawn(past::natural, length + steps))
    ->Name("history/window/32768/natural");

}  // namespace
}  // namespace bench
