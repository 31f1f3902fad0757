#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sluice/sequence_bodies.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "oracle_dry.hpp"
#include "support.hpp"
#include "texts.hpp"

namespace {

using namespace tests::texts;
using breakers = std::vector<tokens>;

tokens text(std::string_view letters) { return {letters.begin(), letters.end()}; }

breakers random_breakers(tests::generator& g, int letters) {
  breakers result;
  for (int i = g.chance(0.5) ? 0 : g.between(1, 3); i > 0; --i) result.push_back(random_word(g, letters, 4));
  return result;
}

int random_window(tests::generator& g, int longest) { return g.chance(0.5) ? -1 : g.between(1, longest); }

struct request {
  int allowed = 2, last_n = -1;
  breakers breaks = {};
  sluice::dry_rules rules = sluice::make_dry_rules(allowed, last_n, breaks);
};

using lengths = std::map<int, std::size_t>;

lengths defined(const tokens& history, const request& r) {
  const std::size_t begin = tests::oracle::window_begin({history, {}}, r.last_n);
  const tokens window(history.begin() + std::ptrdiff_t(begin), history.end());
  const std::size_t allowed = static_cast<std::size_t>(std::max(1, r.allowed));
  if (window.size() <= allowed) return {};
  lengths longest = tests::oracle::dry_matches(window, r.breaks);
  std::erase_if(longest, [&](const auto& entry) { return entry.second < allowed; });
  return longest;
}

/// One generation beside a plain copy of its tokens.
struct generation {
  sluice::sequence sequence = sluice::sequence(1);
  tokens history = {};
  sluice::workspace memory = {};

  void accept(std::span<const int> more) {
    sequence.accept(more);
    history.insert(history.end(), more.begin(), more.end());
  }

  void rewind(std::size_t count) {
    sequence.rewind(count);
    history.resize(count > history.size() ? 0 : history.size() - count);
  }

  lengths found(const request& r) {
    const auto repeats = sequence.repeats(r.rules, memory);
    REQUIRE(repeats.has_value());
    lengths result;
    for (const auto& [token, length] : *repeats) CHECK(result.emplace(token, length).second);
    return result;
  }

  void compare(const request& r) {
    const lengths expected = defined(history, r);
    if (found(r) == expected) return;
    CAPTURE(history.size());
    CAPTURE(r.allowed);
    CAPTURE(r.last_n);
    CHECK(found(r) == expected);
  }
};

}  // namespace

TEST_CASE("DRY finds what the definition finds, through rewinds and with breakers and windows") {
  tests::generator g(31);
  for (std::size_t i = tests::scaled(100'000); i > 0; --i) {
    const int letters = g.between(1, 4);
    const request asked{g.between(0, 4), random_window(g, 40), random_breakers(g, letters)};
    const request other{g.between(0, 3), random_window(g, 60), random_breakers(g, letters)};
    generation now;
    for (int turn = g.between(1, 4); turn > 0; --turn) {
      const tokens more = random_text(g, 1 + g.below(60), letters);
      for (std::span<const int> rest = more; !rest.empty();) {
        const std::size_t count = g.chance(0.5) ? 1 : 1 + g.below(rest.size());
        now.accept(rest.first(count));
        rest = rest.subspan(count);
        if (rest.empty() || g.chance(0.3)) now.compare(g.chance(0.2) ? other : asked);
      }
      if (g.chance(0.7)) now.rewind(g.chance(0.1) ? 1000 : g.below(now.history.size() / 2 + 2));
    }
  }
}

TEST_CASE("DRY finds what the definition finds in long and nested periods") {
  tests::generator g(32);
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    const int letters = g.between(1, 4);
    const tokens all = g.chance(0.4) ? nested_periods(g, g.between(2, 4), letters)
                                     : run_quotations(g, 50 + g.below(500), letters);
    breakers breaks = random_breakers(g, letters + 1);
    if (g.chance(0.3)) {  // a piece of the text, which can be longer than a period
      const std::size_t begin = g.below(all.size()), end = std::min(all.size(), begin + 1 + g.below(20));
      breaks = {{all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end)}};
    }
    const request asked{g.between(1, 3), random_window(g, int(all.size())), breaks};
    generation now;
    std::span<const int> rest = all;
    now.accept(rest.first(g.below(all.size())));
    rest = rest.subspan(now.history.size());
    for (int step = 0; step < 4; ++step) {
      const std::size_t count = std::min(rest.size(), g.chance(0.5) ? 1 : g.below(40));
      now.accept(rest.first(count));
      rest = rest.subspan(count);
      now.compare(asked);
      if (g.chance(0.2)) now.rewind(g.below(now.history.size() + 1));
    }
  }
}

TEST_CASE("DRY tells ids apart that are alike in their low bits") {
  tests::generator g(33);
  for (std::size_t i = tests::scaled(5'000); i > 0; --i) {
    tokens all = random_text(g, 100, 4);
    for (int& token : all) token = (token - 2) * 256;
    generation now;
    now.accept(all);
    now.compare({g.between(1, 2)});
  }
}

TEST_CASE("DRY after a rewind does not remember another continuation of the same length and last token") {
  const request asked{2, -1, {{'.'}}};
  generation now;
  now.accept(text("abcd.abce"));
  CHECK(now.found(asked) == lengths{});
  now.accept(text("abc"));
  CHECK(now.found(asked) == lengths{{'d', 3}, {'e', 3}});
  now.rewind(3);
  now.accept(text("xbc"));
  CHECK(now.found(asked) == lengths{{'d', 2}, {'e', 2}});
  now.rewind(7);
  now.accept(text("xx.xabc"));
  CHECK(now.found(asked) == lengths{{'d', 3}});
}

TEST_CASE("DRY reaches back to the newest breaker that lies in the window whole") {
  generation now;
  now.accept(text("12ab12ab"));
  CHECK(now.found({2, -1, {text("2")}}) == lengths{{'1', 2}});
  CHECK(now.found({2, -1, {text("12")}}) == lengths{{'1', 2}});
  CHECK(now.found({2, -1, {text("2"), text("12")}}) == lengths{{'1', 2}});
  CHECK(now.found({2, -1, {text("b")}}) == lengths{});
  CHECK(now.found({2, -1, {text("21")}}) == lengths{{'1', 4}});
  // The window cuts the long breaker at its edge: "2a" breaks, or nothing does.
  CHECK(now.found({1, 6, {text("b12a"), text("2a")}}) == lengths{{'1', 1}});
  now.rewind(8);
  now.accept(text("abxabxab"));
  CHECK(now.found({2, 5, {text("xabx")}}) == lengths{{'x', 2}});
  CHECK(now.found({2, 7, {text("xabx")}}) == lengths{{'x', 2}});
  CHECK(now.found({2, 7, {text("xab")}}) == lengths{});
}

TEST_CASE("ids outside any vocabulary match like others") {
  generation now;
  now.accept(tokens{-1, 2'000'000'000, -7, -1, 2'000'000'000});
  CHECK(now.found({2}) == lengths{{-7, 2}});
  CHECK(now.found({1}) == lengths{{-7, 2}});
}

namespace {

/// The most that a step of DRY does over the last tokens of a text: tokens compared, matches looked at or
/// kept.
std::size_t most_work(const tokens& text, std::size_t steps) {
  const sluice::dry_rules rules = sluice::make_dry_rules(2, -1, {});
  sluice::detail::history history;
  sluice::detail::repeat_scratch scratch;
  std::size_t work = 0;
  const auto read = [&](std::span<const int> more) {
    sluice::detail::accept(history, more, sluice::detail::origin::generated);
    work = 0;
    std::span<const sluice::token_repeat> found;
    REQUIRE(sluice::detail::find_repeats(history, rules, scratch, found,
                                         [&work](std::size_t count) { work += count; }));
  };
  const std::span<const int> all(text);
  read(all.first(all.size() - steps));
  std::size_t most = 0;
  for (const int& token : all.last(steps)) {
    read({&token, 1});
    most = std::max(most, work);
  }
  return most;
}

/// The tokens that are compared where each earlier end is compared by itself.
std::size_t plain_work(const tokens& text) {
  std::size_t work = 0;
  for (std::size_t end = 0; end + 1 < text.size(); ++end)
    for (std::size_t i = 0; i <= end; ++i) {
      ++work;
      if (text[end - i] != text[text.size() - 1 - i]) break;
    }
  return work;
}

}  // namespace

TEST_CASE("a DRY step costs a few comparisons in a run, and no more than two a token however they repeat") {
  const std::size_t steps = 51;
  for (const std::size_t size : {4'096u, 32'768u}) {
    CAPTURE(size);
    CHECK(most_work(repeated(text("a"), size + steps), steps) <= 8);
    CHECK(most_work(repeated(text("ab"), size + steps), steps) <= 8);
    const tokens third = repeated(text("aaab"), size / 3);
    for (const tokens& all :
         {repeated(text("aaab"), size + steps), repeated(repeated(text("a"), 180) + text("b"), size + steps),
          third + text("c") + third + text("cc") + repeated(text("aaab"), size / 3 + steps)}) {
      CHECK(most_work(all, steps) <= 2 * size);
      if (size < 10'000) CHECK(plain_work(all) > 64 * size);  // so the count tells the two apart
    }
  }
}
