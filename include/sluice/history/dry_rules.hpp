#pragma once

// What DRY takes for a repetition, in the form that a search reads.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sluice/config.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// What counts as a repetition: how long a match must be, in which window, and at which breakers it ends.
/// Made once by `make_dry_rules`, then only read; any number of threads may share it.
struct dry_rules {
  struct breaker {
    token_id last = no_token;
    std::uint32_t length = 0, begin = 0;  // of its tokens
  };

  std::uint32_t allowed = 2;           ///< the shortest match that counts, at least 1
  int last_n = -1;                     ///< the window in tokens; negative: the whole history
  std::vector<breaker> breakers = {};  // by last token, then length
  std::vector<token_id> tokens = {};
  std::uint64_t key[2] = {0, 0};  // says which breakers these are
};

inline namespace SLUICE_ISA {

/// The rules of `dry_allowed_length` (below 1: 1), `dry_penalty_last_n` and `dry_sequence_breakers`. An empty
/// breaker breaks nothing. Throws std::bad_alloc. Cost: a sort of the breakers.
SLUICE_COLD dry_rules make_dry_rules(int allowed_length, int last_n,
                                     std::span<const std::vector<token_id>> breakers) {
  std::vector<const std::vector<token_id>*> sorted;
  for (const auto& breaker : breakers)
    if (!breaker.empty()) sorted.push_back(&breaker);
  const auto before = [](const auto* a, const auto* b) {
    if (a->back() != b->back()) return a->back() < b->back();
    if (a->size() != b->size()) return a->size() < b->size();
    return *a < *b;
  };
  std::make_heap(sorted.begin(), sorted.end(), before);  // less to compile than std::sort
  std::sort_heap(sorted.begin(), sorted.end(), before);
  const auto same = [](const auto* a, const auto* b) { return *a == *b; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());

  dry_rules rules;
  rules.allowed = allowed_length < 1 ? 1 : static_cast<std::uint32_t>(allowed_length);
  rules.last_n = last_n;
  rules.key[0] = 1;  // an index that saw no breakers yet has 0
  const auto mix = [&rules](std::uint64_t word) {
    rules.key[0] = std::rotl((rules.key[0] ^ word) * 0x9E3779B97F4A7C15u, 29);
    rules.key[1] = std::rotl((rules.key[1] + word) * 0xD6E8FEB86659FD93u, 31) ^ rules.key[0];
  };
  for (const auto* breaker : sorted) {
    rules.breakers.push_back({breaker->back(), static_cast<std::uint32_t>(breaker->size()),
                              static_cast<std::uint32_t>(rules.tokens.size())});
    rules.tokens.insert(rules.tokens.end(), breaker->begin(), breaker->end());
    mix(breaker->size());
    for (token_id token : *breaker) mix(static_cast<std::uint32_t>(token));
  }
  return rules;
}

}  // namespace SLUICE_ISA
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
