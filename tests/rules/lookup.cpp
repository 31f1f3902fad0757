#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/speculative.hpp>
#include <span>
#include <vector>

#include "support.hpp"
#include "texts.hpp"

namespace {

using namespace tests::texts;

/// Spec 7 as it is written: every earlier end, its whole match.
tokens expected(const tokens& w, std::size_t wanted, const sluice::lookup_rules& rules) {
  const std::size_t n = w.size();
  std::size_t longest = 0;
  std::vector<std::size_t> places;  // ends of the longest match, newest first
  for (std::size_t e = n < 2 ? 0 : n - 1; e-- > 0;) {
    std::size_t length = 0;
    while (length <= e && length < std::size_t(rules.max_match) && w[e - length] == w[n - 1 - length])
      ++length;
    if (length > longest) {
      longest = length;
      places.clear();
    }
    if (length == longest) places.push_back(e);
  }
  tokens result;
  if (longest == 0 || longest < std::size_t(rules.min_match) || places.size() < std::size_t(rules.votes))
    return result;
  for (std::size_t i = 0; i < wanted && places[0] + 1 + i < n; ++i) {
    const int token = w[places[0] + 1 + i];
    for (std::size_t k = 1; k < std::size_t(rules.votes); ++k)
      if (w[places[k] + 1 + i] != token) return result;
    result.push_back(token);
  }
  return result;
}

tokens drafted(sluice::sequence& q, std::size_t wanted, const sluice::lookup_rules& rules) {
  tokens out(wanted, -7);
  out.resize(sluice::draft_from_history(q, out, rules));
  return out;
}

tokens tokens_of(const sluice::sequence& q) { return {q.tokens().begin(), q.tokens().end()}; }

sluice::lookup_rules random_rules(tests::generator& g) {
  sluice::lookup_rules rules;
  rules.min_match = g.pick(std::array{1, 1, 2, 2, 3, 9});
  rules.max_match = g.chance(0.3) ? rules.min_match : g.pick(std::array{1, 2, 3, 8, 16, 64, 1'000'000});
  rules.votes = g.pick(std::array{1, 1, 1, 2, 3, 5, 20});
  return rules;
}

/// What DRY and the drafter read of a sequence.
const sluice::detail::link_index& links(sluice::sequence& q) {
  return sluice::detail::sequence_access::of(q).index->links;
}

}  // namespace

TEST_CASE(
    "a draft from the history is what followed the newest of the longest matches, as far as votes agree") {
  tests::generator g(71);
  std::size_t found = 0;
  for (std::size_t i = tests::scaled(20'000); i > 0; --i) {
    const int letters = g.pick(std::array{1, 2, 3, 8, 40});
    const tokens text = random_text(g, 1 + g.below(400), letters);
    sluice::sequence q(1);
    // DRY beside it, of either order, or none; before or after.
    const int dry = g.between(0, 2);
    const sluice::dry_rules dry_rules = sluice::make_dry_rules(dry, -1, {});
    sluice::workspace memory;
    const sluice::lookup_rules rules = random_rules(g);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t more = std::min(text.size() - at, 1 + g.below(40));
      q.accept(std::span(text).subspan(at, more));
      at += more;
      if (dry > 0 && g.chance(0.5)) REQUIRE(q.repeats(dry_rules, memory));
      const tokens now = tokens_of(q);
      for (const sluice::lookup_rules& r : {rules, random_rules(g)}) {
        const std::size_t wanted = g.below(30);
        CAPTURE(now);
        CAPTURE(r.min_match);
        CAPTURE(r.max_match);
        CAPTURE(r.votes);
        const tokens draft = drafted(q, wanted, r);
        REQUIRE(draft == expected(now, wanted, r));
        found += !draft.empty();
      }
      if (g.chance(0.2)) {
        const std::size_t back = std::min<std::size_t>(q.tokens().size(), g.below(60));
        q.rewind(back);
      }
    }
  }
  CHECK(found > tests::scaled(20'000));
}

TEST_CASE("a drafter that takes the oldest place, one token more, or no vote is told from the oracle's") {
  const tokens w{1, 2, 9, 8, 1, 2, 9, 7, 1, 2};
  CHECK(expected(w, 4, {}) == tokens{9, 7, 1, 2});
  CHECK(expected(w, 4, {.votes = 2}) == tokens{9});
  CHECK(expected(w, 4, {.votes = 3}) == tokens{});
  CHECK(expected(w, 4, {.min_match = 3}) == tokens{});
  const tokens run(10, 5);
  CHECK(expected(run, 4, {.max_match = 4}) == tokens{5});
  CHECK(expected(run, 4, {.max_match = 4, .votes = 2}) == tokens{5});
}

TEST_CASE("DRY and the drafter share one index: neither builds it anew for the other") {
  tests::generator g(72);
  for (const int allowed : {1, 2, 3})
    for (const int min_match : {1, 2, 5}) {
      sluice::sequence q(1);
      sluice::workspace memory;
      const sluice::dry_rules rules = sluice::make_dry_rules(allowed, -1, {});
      q.reserve(2'000);
      q.accept(random_text(g, 1'000, 4));
      REQUIRE(q.repeats(rules, memory));
      const std::uint32_t order = links(q).order;
      const void* const table = links(q).newest.data();
      for (int step = 0; step < 200; ++step) {
        // Were it built anew, the links would be fewer than the tokens in between, and of the other order.
        (void)drafted(q, 8, {.min_match = min_match});
        REQUIRE(links(q).order == order);
        REQUIRE(links(q).links.size() == q.tokens().size());
        REQUIRE(q.repeats(rules, memory));
        REQUIRE(links(q).order == order);
        REQUIRE(links(q).newest.data() == table);
        q.accept(g.between(0, 3));
        if (g.chance(0.1)) q.rewind(g.below(5));
      }
    }
}

TEST_CASE(
    "a draft costs a few hundred steps at most where the history is one run, one period or cut periods") {
  const auto steps = [](const tokens& text, std::uint32_t least, std::uint32_t most, std::uint32_t votes) {
    sluice::sequence q(1);
    q.accept(text);
    sluice::detail::history& h = sluice::detail::sequence_access::of(q);
    std::array<int, 16> out{};
    (void)sluice::detail::find_continuation(h, out, least, most, votes);
    std::size_t count = 0;
    (void)sluice::detail::find_continuation(h, out, least, most, votes,
                                            [&count](std::size_t n) { count += n; });
    return count;
  };
  constexpr std::size_t length = 32'768;
  const tokens cut = repeated({1, 1, 1, 2}, length / 2) + tokens{3} + repeated({1, 1, 1, 2}, length / 2);
  for (const std::uint32_t most : {16u, 1'000'000u})
    for (const std::uint32_t votes : {1u, 3u}) {
      CAPTURE(most);
      CAPTURE(votes);
      CHECK(steps(repeated({1}, length), 2, most, votes) < 300);
      CHECK(steps(repeated({1, 1, 1, 2}, length), 2, most, votes) < 300);
      CHECK(steps(tokens{7, 8} + repeated({1, 2}, length) + tokens{7, 8, 9, 1, 2}, 2, most, votes) < 300);
      // A match as long as half the history is compared once, in blocks.
      CHECK(steps(cut, 2, most, votes) < (most == 16 ? 300 : length / 2 + 300));
    }
}
