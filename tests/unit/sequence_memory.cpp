#include <doctest/doctest.h>

#include <cstdint>
#include <new>
#include <optional>
#include <sluice/sequence_bodies.hpp>
#include <span>
#include <utility>
#include <vector>

#include "allocations.hpp"

namespace {

using sluice::counted;
using sluice::sequence;
using tokens = std::vector<sluice::token_id>;

tokens distinct(int count) {
  tokens result;
  for (int i = 0; i < count; ++i) result.push_back(i * 7);
  return result;
}

struct reader {
  sluice::dry_rules rules;
  sluice::workspace memory = {};
  std::span<const sluice::token_repeat> found = {};

  bool read(sequence& s) {
    const auto repeats = s.window(-1) ? s.repeats(rules, memory) : std::nullopt;
    found = repeats.value_or(found);
    return repeats.has_value();
  }
};

reader make_reader(int allowed = 2) {
  return {sluice::make_dry_rules(allowed, -1, std::vector<tokens>{{14}, {7, 21}})};
}

}  // namespace

TEST_CASE("below its reserve a sequence accepts without allocating") {
  sequence s(1);
  s.reserve(1000);
  const tokens many = distinct(300);
  const std::vector<std::int64_t> wide(many.begin(), many.end());
  const std::size_t before = tests::heap().allocations;
  s.accept_prompt(many);
  s.accept(5);
  s.accept(many);
  s.accept(wide);
  s.rewind(400);
  s.accept(many);
  CHECK(tests::heap().allocations == before);
  s.accept(distinct(500));
  CHECK(s.tokens().size() == 1301);
}

TEST_CASE("a sequence that was read once and has room allocates nothing when it is read again") {
  for (const int allowed : {1, 2}) {
    sequence s(1);
    s.reserve(600);
    s.accept(distinct(100));
    reader all = make_reader(allowed);
    REQUIRE(all.read(s));
    REQUIRE(s.prepare_repeats(all.rules, all.memory, 10'000));
    const std::size_t before = tests::heap().allocations;
    for (int i = 0; i < 500; ++i) {
      s.accept(i % 2 == 0 ? i : i * 1000);
      REQUIRE(all.read(s));
    }
    s.rewind(450);
    for (int i = 0; i < 450; ++i) {
      s.accept(i % 5);
      REQUIRE(all.read(s));
    }
    CHECK(tests::heap().allocations == before);
  }
}

TEST_CASE("room that is reserved after the first reading is there for the index too") {
  sequence s(1);
  s.accept(distinct(10));
  reader all = make_reader();
  REQUIRE(all.read(s));
  s.reserve(500);
  REQUIRE(s.prepare_repeats(all.rules, all.memory, 10'000));
  const std::size_t before = tests::heap().allocations;
  for (int i = 0; i < 490; ++i) {
    s.accept(i * 3);
    REQUIRE(all.read(s));
  }
  CHECK(tests::heap().allocations == before);
}

TEST_CASE("a sequence costs 4 bytes a token until it is read, and at most 32 from then on") {
  const int size = 40'000;
  const tokens history = distinct(size);
  const std::size_t before = tests::heap().bytes;
  sequence s(1);
  s.accept(history);
  CHECK(tests::heap().bytes - before <= 4 * size + 64);
  sequence indexed(1);
  indexed.reserve(size);
  indexed.accept(history);
  reader all = make_reader();
  REQUIRE(all.read(indexed));
  const std::size_t scratch = all.memory.bytes();
  CHECK(tests::heap().bytes - before - (4 * size + 64) <= 32 * size + scratch);
}

TEST_CASE("where memory is short, accept leaves the sequence as it was") {
  for (std::size_t enough = 0;; ++enough) {
    sequence s(1);
    s.accept_prompt(tokens{1, 2, 3});
    const tokens more = distinct(1000);
    const std::vector<std::int64_t> wide(more.begin(), more.end());
    bool failed = false, failed_wide = false;
    {
      const tests::scarce_memory scarce(enough);
      try {
        s.accept(more);
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    CHECK(s.tokens().size() == (failed ? 3u : 1003u));
    const std::size_t size = s.tokens().size();
    s.accept_prompt(tokens{4});
    {
      const tests::scarce_memory scarce(enough);
      try {
        s.accept(wide);
      } catch (const std::bad_alloc&) {
        failed_wide = true;
      }
    }
    CHECK(s.tokens().size() == size + 1 + (failed_wide ? 0 : 1000));
    const sluice::token_counts window = s.window(-1, counted::generated);
    REQUIRE(window);
    CHECK(window.size() == (failed && failed_wide ? 0u : 1000u));
    if (!failed && !failed_wide) break;
  }
}

TEST_CASE("where memory is short, a reading says so and is right once there is some") {
  const tokens history{1, 2, 3, 1, 2, 4, 1, 2};
  for (const int allowed : {1, 2}) {
    std::size_t enough = 0;
    for (bool complete = false; !complete; ++enough) {
      sequence s(1);
      s.accept(history);
      reader all = make_reader(allowed);
      {
        const tests::scarce_memory scarce(enough);
        complete = all.read(s);
        s.rewind(1);
        s.accept(2);
      }
      REQUIRE(all.read(s));
      CHECK(all.found.size() == 2);
      CHECK(s.window(-1).of(2) == 3);
      s.rewind(3);
      REQUIRE(all.read(s));
      CHECK(all.found.size() == 1);
    }
    CHECK(enough > 6);
  }
}

TEST_CASE("a copy that runs out of memory leaves both sequences as they were") {
  sequence s(1), other(2);
  s.accept(distinct(100));
  other.accept(5);
  reader all = make_reader();
  REQUIRE(all.read(s));
  REQUIRE(all.read(other));
  std::size_t enough = 0;
  for (bool complete = false; !complete; ++enough) {
    const tests::scarce_memory scarce(enough);
    try {
      other = s;
      complete = true;
    } catch (const std::bad_alloc&) {
      complete = false;
    }
    if (!complete) CHECK(other.tokens().size() == 1);
  }
  CHECK(enough > 5);
  CHECK(other.tokens().size() == 100);
}
