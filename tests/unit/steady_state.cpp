// What whole chains ask of the heap: nothing once they are prepared, or do again what they did before.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocations.hpp"
#include "golden/cases.hpp"
#include "step.hpp"

namespace {

constexpr std::size_t largest = 48'000;  // no golden row has more tokens
constexpr std::size_t reserved = 1'000;  // tokens of a sequence

/// All of the golden cases, one in five in builds without NDEBUG.
std::vector<golden::test_case> cases() {
  std::vector<golden::test_case> all = golden::cases();
#ifndef NDEBUG
  std::size_t i = 0;
  std::erase_if(all, [&](const golden::test_case&) { return i++ % 5 != 0; });
#endif
  return all;
}

/// The generation of a golden case, with memory of its own.
class generation {
 public:
  explicit generation(const golden::test_case& of) : case_(of), stepper_(of.params), sequence_(1, of.start) {
    sequence_.reserve(reserved);
    sequence_.accept_prompt(golden::make_prompt());
  }

  bool prepare(std::size_t vocab_size) { return stepper_.prepare(sequence_, vocab_size, memory_); }

  /// What sampling, the distribution and accepting ask of the heap.
  std::size_t allocations(const golden::step& s) {
    golden::held_row held;
    const sluice::logits_view row = held.of(s, case_.row);
    sluice::call_options call{.bias = s.bias, .workspace = &memory_};
    if (!s.mask.empty()) call.mask = sluice::token_mask(s.mask);
    sequence_.reseed(s.seed);
    const std::size_t before = tests::heap().allocations;
    const sluice::sample_result drawn = stepper_.sample(row, sequence_, call);
    (void)stepper_.distribution(row, sequence_, call);
    if (drawn) sequence_.accept(drawn.token);
    sequence_.accept(5);
    return tests::heap().allocations - before;
  }

  void rewind() { sequence_.rewind(sequence_.tokens().size() - golden::make_prompt().size()); }

  std::size_t bytes() const { return memory_.bytes(); }

 private:
  const golden::test_case& case_;
  tests::stepper stepper_;
  sluice::sequence sequence_;
  sluice::workspace memory_;
};

}  // namespace

TEST_CASE("the first call on a workspace is counted") {
  const golden::test_case plain{.name = "plain"};
  CHECK(generation(plain).allocations(golden::make_step(plain, 0)) > 0);
}

TEST_CASE("a chain that is prepared allocates nothing, with any stage and any kind of row") {
  const std::vector<golden::test_case> all = cases();
  for (const golden::test_case& c : all) {
    generation prepared(c);
    REQUIRE(prepared.prepare(largest));
    for (const std::size_t i : {0u, 3u, 5u, 9u, 11u, 12u, 49u, 13u, 14u, 53u, 99u})
      CHECK_MESSAGE(prepared.allocations(golden::make_step(c, i)) == 0, c.name << ", step " << i);
  }
}

TEST_CASE("a chain that is not prepared allocates nothing where it does again what it did before") {
  const std::vector<golden::test_case> all = cases();
  for (const golden::test_case& c : all) {
    generation unprepared(c);
    std::vector<golden::step> steps;
    for (const std::size_t i : {49u, 1u, 4u, 5u, 10u, 15u, 27u, 50u})
      steps.push_back(golden::make_step(c, i));
    for (const golden::step& s : steps) (void)unprepared.allocations(s);
    unprepared.rewind();
    for (const golden::step& s : steps) CHECK_MESSAGE(unprepared.allocations(s) == 0, c.name);
  }
}

// Memory is counted alike in every build: one without NDEBUG leaves the longest rows to the long run.
#ifdef NDEBUG
constexpr std::size_t long_rows = std::size_t{1} << 20;
#else
constexpr std::size_t long_rows = 32'000;
#endif

TEST_CASE(
    "a workspace has 24 bytes a vocabulary entry, 4,352 more below 4,096 entries, and 17 a token for DRY") {
  const std::vector<golden::test_case> all = cases();
  for (const golden::test_case& c : all) {
    for (const std::size_t vocab : {1u, 300u, 4'096u, 32'000u, 151'936u}) {
      if (vocab > long_rows && !tests::long_run()) continue;
      generation prepared(c);
      REQUIRE(prepared.prepare(vocab));
      golden::step s = golden::make_step(c, 7);
      s.logits.resize(vocab, 1.0f);
      s.mask.resize(s.mask.empty() ? 0 : (vocab + 31) / 32, 0xF0F0F0F0u);
      (void)prepared.allocations(s);
      const std::size_t dry = c.params.dry_multiplier != 0 ? 17 * reserved : 0;
      CHECK_MESSAGE(prepared.bytes() <= 24 * vocab + (vocab < 4'096 ? 4'352 : 0) + dry,
                    c.name << ", " << vocab << " entries: " << prepared.bytes());
    }
  }
}
