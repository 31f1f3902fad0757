#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <sluice/sequence_bodies.hpp>
#include <span>
#include <vector>

#include "support.hpp"

namespace {

using sluice::counted;
using counts = std::map<int, std::uint32_t>;

struct remembered {
  int token = 0;
  bool is_prompt = false;
};

/// One generation beside a plain record of it.
struct generation {
  sluice::sequence sequence = sluice::sequence(1);
  std::vector<remembered> record = {};

  void accept(std::span<const int> tokens, bool is_prompt) {
    if (is_prompt)
      sequence.accept_prompt(tokens);
    else
      sequence.accept(tokens);
    for (const int token : tokens) record.push_back({token, is_prompt});
  }

  void rewind(std::size_t count) {
    sequence.rewind(count);
    record.resize(count > record.size() ? 0 : record.size() - count);
  }

  counts recount(int last_n, counted which) const {
    const std::size_t size = record.size();
    const std::size_t count = last_n < 0 ? size : std::min(size, std::size_t(last_n));
    counts result;
    for (std::size_t i = size - count; i < size; ++i)
      if (which == counted::all || !record[i].is_prompt) ++result[record[i].token];
    return result;
  }

  void compare(int last_n, counted which) {
    const sluice::token_counts window = sequence.window(last_n, which);
    REQUIRE(window);
    counts found;
    for (const auto& [token, count] : window) CHECK(found.emplace(token, count).second);
    CAPTURE(last_n);
    CHECK(found == recount(last_n, which));
    for (const auto& [token, count] : found) CHECK(window.of(token) == count);
    CHECK(window.of(1'000'000) == 0);
    CHECK(window.size() == found.size());
  }
};

std::vector<int> random_tokens(tests::generator& g, std::size_t count, int vocabulary) {
  std::vector<int> tokens;
  for (std::size_t i = 0; i < count; ++i)
    tokens.push_back(g.chance(0.02) ? -g.between(1, 3) : g.between(0, vocabulary - 1) * 97);
  return tokens;
}

}  // namespace

TEST_CASE("counts of a window are those of a recount, through prompts, rewinds and other windows") {
  tests::generator g(41);
  const std::vector<int> windows{-1, 0, 1, 2, 5, 20, 64, 300};
  for (std::size_t i = tests::scaled(5'000); i > 0; --i) {
    generation now;
    const int vocabulary = g.pick(std::array{1, 3, 40, 2'000});
    const std::size_t in_use = 1 + g.below(windows.size());
    if (g.chance(0.3)) now.sequence.reserve(g.below(400));
    for (int step = g.between(5, 60); step > 0; --step) {
      const std::vector<int> more = random_tokens(g, g.chance(0.6) ? 1 : g.below(60), vocabulary);
      now.accept(more, g.chance(0.3));
      if (g.chance(0.25)) now.rewind(g.chance(0.1) ? 1'000'000 : g.below(30));
      const int last_n = windows[g.below(in_use)];
      if (g.chance(0.5)) now.compare(last_n, g.chance(0.5) ? counted::all : counted::generated);
      if (g.chance(0.05)) now.sequence = sluice::sequence(now.sequence);
      if (g.chance(0.05)) now.sequence = now.sequence.fork(g.next());
    }
    for (const counted which : {counted::all, counted::generated}) now.compare(-1, which);
  }
}

TEST_CASE("counts of a sequence and of its copy part where their tokens part") {
  generation first;
  first.accept(std::vector{1, 1, 2}, false);
  first.compare(-1, counted::all);
  generation second = first;
  first.accept(std::vector{3}, false);
  second.rewind(2);
  second.accept(std::vector{4, 4, 4}, true);
  for (const int last_n : {-1, 2})
    for (const counted which : {counted::all, counted::generated}) {
      first.compare(last_n, which);
      second.compare(last_n, which);
    }
}
