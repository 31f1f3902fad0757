// Cases that are tried on one tier after the other. A tier's cases are a suite, tiers.avx2 and tiers.avx512,
// that CTest runs as a test of its own: where the machine lacks the tier, the cases say so and CTest reports
// the test as skipped.
#pragma once

#include <doctest/doctest.h>

#include <sluice/kernel/tier.hpp>

namespace tests {

/// Whether the machine has the tier. Where it has not, the case that asks says that it is skipped.
inline bool has_tier(sluice::instruction_tier tier) {
  if (sluice::has_tier(tier)) return true;
  MESSAGE("skipped: no " << (tier == sluice::instruction_tier::avx512 ? "AVX-512" : "AVX2"));
  return false;
}

}  // namespace tests

/// TIER_CASE("sentence") { ... tested ... }: a case for each tier but the scalar one, which is what the
/// others are held against.
#define TIER_CASE(sentence) TIER_CASE_NAMED_(DOCTEST_ANONYMOUS(tier_case_), sentence)
#define TIER_CASE_NAMED_(function, sentence)                             \
  static void function(sluice::instruction_tier tested);                 \
  TEST_CASE("AVX2: " sentence* doctest::test_suite("tiers.avx2")) {      \
    constexpr auto tier = sluice::instruction_tier::avx2;                \
    if (tests::has_tier(tier)) function(tier);                           \
  }                                                                      \
  TEST_CASE("AVX-512: " sentence* doctest::test_suite("tiers.avx512")) { \
    constexpr auto tier = sluice::instruction_tier::avx512;              \
    if (tests::has_tier(tier)) function(tier);                           \
  }                                                                      \
  static void function([[maybe_unused]] sluice::instruction_tier tested)
