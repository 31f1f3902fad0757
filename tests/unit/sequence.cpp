#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <sluice/sequence_bodies.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using sluice::counted;
using sluice::sequence;
using tokens = std::vector<sluice::token_id>;
using counts = std::map<int, std::uint32_t>;

tokens tokens_of(const sequence& s) { return {s.tokens().begin(), s.tokens().end()}; }

sequence with(const tokens& history) {
  sequence s(7, 100);
  s.accept(history);
  return s;
}

counts generated(sequence& s, int last_n = -1) {
  counts result;
  for (const auto& [token, count] : s.window(last_n, counted::generated)) result[token] = count;
  return result;
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<sequence> && std::is_nothrow_move_assignable_v<sequence>);
static_assert(std::is_copy_constructible_v<sequence> && std::is_copy_assignable_v<sequence>);
static_assert(std::is_nothrow_move_constructible_v<sluice::sampler> &&
              std::is_copy_constructible_v<sluice::sampler> &&
              std::is_nothrow_copy_constructible_v<sluice::standard_chain>);
static_assert(std::is_nothrow_move_constructible_v<sluice::workspace> &&
              !std::is_copy_constructible_v<sluice::workspace>);

TEST_CASE("a sequence begins empty, at the position that it was given") {
  const sequence s(42, 9);
  CHECK(s.seed() == 42);
  CHECK(s.position() == 9);
  CHECK(s.tokens().empty());
}

TEST_CASE("accepted tokens stand in their order and move the position") {
  sequence s(1, 10);
  s.accept(5);
  s.accept(tokens{6, 7});
  s.accept_prompt(tokens{8});
  s.accept(tokens{});
  s.accept_prompt(tokens{});
  CHECK(tokens_of(s) == tokens{5, 6, 7, 8});
  CHECK(s.position() == 14);
}

TEST_CASE("a 64-bit id that does not fit in 32 bits is remembered as no token") {
  sequence s(1);
  s.accept(std::vector<std::int64_t>{3, -4, 2'147'483'647, 2'147'483'648, -2'147'483'649, 1ll << 40});
  CHECK(tokens_of(s) == tokens{3, -4, 2'147'483'647, sluice::no_token, sluice::no_token, sluice::no_token});
}

TEST_CASE("tokens of a sequence can be accepted by it again") {
  sequence s = with({1, 2, 3});
  for (int i = 0; i < 3; ++i) s.accept(s.tokens());
  CHECK(s.position() == 124);
  CHECK(s.tokens()[21] == 1);
  CHECK(s.tokens()[23] == 3);
}

TEST_CASE("rewind forgets the newest tokens, and all where there are not so many") {
  sequence s = with({1, 2, 3, 4});
  s.rewind(0);
  CHECK(s.position() == 104);
  s.rewind(3);
  CHECK(tokens_of(s) == tokens{1});
  CHECK(s.position() == 101);
  s.rewind(2);
  CHECK(s.tokens().empty());
  CHECK(s.position() == 100);
  s.rewind(~std::size_t{0});
  CHECK(s.position() == 100);
}

TEST_CASE("each token remembers whether it was prompt, also after a rewind") {
  sequence s(1);
  s.accept_prompt(tokens{1, 2});
  s.accept(tokens{1, 3});
  s.accept_prompt(tokens{1, 4});
  s.accept(tokens{4});
  CHECK(generated(s) == counts{{1, 1}, {3, 1}, {4, 1}});
  CHECK(generated(s, 3) == counts{{4, 1}});
  s.rewind(2);  // into the second prompt
  CHECK(generated(s) == counts{{1, 1}, {3, 1}});
  s.accept(9);
  CHECK(generated(s) == counts{{1, 1}, {3, 1}, {9, 1}});
  s.rewind(3);  // into the first generated tokens
  s.accept_prompt(tokens{9});
  CHECK(generated(s) == counts{{1, 1}});
  s.rewind(9);
  s.accept(8);
  CHECK(generated(s) == counts{{8, 1}});
}

TEST_CASE("a copy goes on with the same seed, a fork with its own") {
  sequence s = with({1, 2});
  sequence copy = s;
  sequence fork = s.fork(8);
  CHECK(copy.seed() == 7);
  CHECK(fork.seed() == 8);
  CHECK(s.seed() == 7);
  copy.accept(3);
  s.rewind(1);
  CHECK(tokens_of(copy) == tokens{1, 2, 3});
  CHECK(tokens_of(fork) == tokens{1, 2});
  CHECK(fork.position() == 102);
  s.reseed(11);
  CHECK(s.seed() == 11);
}

TEST_CASE("a sequence that was moved from is empty and can go on") {
  sequence s = with({1, 2});
  CHECK(generated(s).size() == 2);
  sequence other = std::move(s);
  CHECK(tokens_of(other) == tokens{1, 2});
  CHECK(s.tokens().empty());  // NOLINT: what this test is about
  s.accept(5);
  CHECK(generated(s) == counts{{5, 1}});
  other = std::move(s);
  CHECK(tokens_of(other) == tokens{5});
  CHECK(generated(other) == counts{{5, 1}});
}

TEST_CASE("a sequence can be assigned to itself and over another") {
  sequence s = with({1, 2}), other = with({3});
  CHECK(generated(other).size() == 1);
  other = s;
  CHECK(tokens_of(other) == tokens{1, 2});
  CHECK(generated(other) == counts{{1, 1}, {2, 1}});
  sequence& same = s;
  s = same;
  CHECK(tokens_of(s) == tokens{1, 2});
}

TEST_CASE("a window counts the last tokens, each once, and says 0 of the others") {
  sequence s(1);
  CHECK(s.window(-1));
  CHECK(s.window(-1).size() == 0);
  s.accept_prompt(tokens{5, 5, 6});
  s.accept(tokens{5, 7});
  CHECK(s.window(-1).size() == 3);
  CHECK(s.window(-1).of(5) == 3);
  CHECK(s.window(-1).of(8) == 0);
  CHECK(s.window(2).size() == 2);
  CHECK(s.window(2).of(6) == 0);
  CHECK(s.window(0).size() == 0);
  CHECK(s.window(4, counted::generated).of(5) == 1);
  CHECK(s.window(4, counted::generated).of(6) == 0);
}

TEST_CASE("repeats name what followed the end of the history before, with the longest match") {
  sequence s(1);
  sluice::workspace memory;
  const sluice::dry_rules rules = sluice::make_dry_rules(2, -1, {});
  CHECK(s.repeats(rules, memory)->empty());
  s.accept(tokens{1, 2, 3, 1, 2, 3, 1, 2});
  const auto found = s.repeats(rules, memory);
  REQUIRE(found.has_value());
  REQUIRE(found->size() == 1);
  CHECK(found->front().token == 3);
  CHECK(found->front().length == 5);
  CHECK(s.repeats(sluice::make_dry_rules(6, -1, {}), memory)->empty());
  CHECK(s.repeats(sluice::make_dry_rules(2, 4, {}), memory)->empty());
  CHECK(s.repeats(sluice::make_dry_rules(2, -1, std::vector<tokens>{{3}}), memory)->empty());
}
