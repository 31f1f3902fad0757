// Feedback samplers: the faults that public systems have had, and what they ask of the heap.

#include <sluice/sluice.hpp>

#include <cmath>

#include "allocations.hpp"
#include "faults.hpp"

using namespace tests;
using sluice::token_id;

namespace {

sluice::sampling_params mirostat_of(int version, std::uint64_t seed) {
  sluice::sampling_params p;
  p.mirostat = version;
  p.mirostat_tau = 3;
  p.seed = seed;
  return p;
}

/// What mirostat keeps of 400 tokens under the law of Zipf: tells mu.
std::size_t kept(sluice::sampler& s, const std::vector<float>& row) { return s.distribution(row).size(); }

std::vector<float> slope() {
  std::vector<float> row;
  for (int i = 0; i < 400; ++i) row.push_back(-1.3f * std::log(static_cast<float>(i + 1)));
  return row;
}

}  // namespace

FAULT_CASE("interleaved sequences under mirostat have each its own mu") {
  const std::vector<float> row = slope();
  sluice::sampler alone(mirostat_of(2, 1)), a(mirostat_of(2, 1)), b(mirostat_of(2, 2));
  for (int step = 0; step < 30; ++step) {
    CHECK(kept(a, row) == kept(alone, row));
    CHECK(a.next(row).token == alone.next(row).token);
    (void)b.next(row);
  }
}

FAULT_CASE("mirostat's mu carries on from step to step") {
  const std::vector<float> row = slope();
  for (const int version : {1, 2}) {
    sluice::sampler s(mirostat_of(version, 3));
    std::set<std::size_t> sizes;
    for (int step = 0; step < 3; ++step) {
      sizes.insert(kept(s, row));
      (void)s.next(row);
    }
    CHECK(sizes.size() > 1);
  }
}

FAULT_CASE("mirostat draws a legal token from one survivor and from a uniform row") {
  for (const int version : {1, 2}) {
    sluice::sampler s(mirostat_of(version, 4));
    for (int step = 0; step < 20; ++step) {
      CHECK(s.next(std::vector<float>{4}).token == 0);
      const token_id token = s.next(std::vector<float>(50, 1.0f)).token;
      CHECK(token >= 0);
      CHECK(token < 50);
    }
  }
}

FAULT_CASE("adaptive-p stays as it was where another token is accepted than the one drawn") {
  sluice::sampling_params p;
  p.adaptive_target = 0.3f;
  p.seed = 5;
  const std::vector<float> row = slope();
  sluice::sampler s(p), untouched(p);
  for (int step = 0; step < 5; ++step) {
    const token_id drawn = s.sample(row).token;
    s.accept(drawn == 0 ? 1 : 0);
  }
  const auto found = s.distribution(row);
  const std::vector<sluice::candidate> law(found.begin(), found.end());
  const auto expected = untouched.distribution(row);
  REQUIRE(law.size() == expected.size());
  for (std::size_t i = 0; i < law.size(); ++i) CHECK(law[i].probability == expected[i].probability);
}

TEST_CASE("a feedback sampler that is prepared allocates nothing, nor does accepting what it drew") {
  const std::vector<float> row{3, 2.5f, 2, 1, 0, -1};
  sluice::sampling_params by_mirostat, by_target;
  by_mirostat.mirostat = 2;
  by_target.adaptive_target = 0.3f;
  by_target.temperature = 0.8f;
  for (const sluice::sampling_params& p : {by_mirostat, by_target}) {
    const sluice::standard_chain chain(p);
    sluice::sequence sequence(1);
    sluice::workspace memory;
    sequence.reserve(1'000);
    REQUIRE(chain.prepare(sequence, row.size(), &memory));
    const std::size_t before = tests::heap().allocations;
    for (int i = 0; i < 1'000; ++i) {
      sequence.accept(chain.sample(row, sequence, {.workspace = &memory}).token);
      if (i % 100 == 99) sequence.rewind(30);
    }
    CHECK(tests::heap().allocations == before);
  }
}
