#pragma once

// Where a repetition ends: DRY's breakers, and the places of the history that hold one.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sluice/sequence.hpp>

namespace sluice::inline v1 {

/// What counts as a repetition: made once, in the chain.
struct dry_rules {
  struct breaker {
    token_id last = no_token;
    std::uint32_t length = 0, begin = 0;  // of its tokens
  };

  std::uint32_t allowed = 2;  // the shortest match that counts, at least 1
  int last_n = -1;
  std::vector<breaker> breakers = {};  // by last token, then length
  std::vector<token_id> tokens = {};
  std::uint64_t key[2] = {0, 0};  // says which breakers these are
};

}  // namespace sluice::inline v1

namespace sluice::inline v1::inline SLUICE_ISA::past {

/// An empty breaker breaks nothing.
inline dry_rules make_dry_rules(int allowed, int last_n, std::span<const std::vector<token_id>> breakers) {
  std::vector<const std::vector<token_id>*> sorted;
  for (const auto& breaker : breakers)
    if (!breaker.empty()) sorted.push_back(&breaker);
  const auto before = [](const auto* a, const auto* b) {
    if (a->back() != b->back()) return a->back() < b->back();
    if (a->size() != b->size()) return a->size() < b->size();
    return *a < *b;
  };
  std::sort(sorted.begin(), sorted.end(), before);
  const auto same = [](const auto* a, const auto* b) { return *a == *b; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());

  dry_rules rules;
  rules.allowed = allowed < 1 ? 1 : static_cast<std::uint32_t>(allowed);
  rules.last_n = last_n;
  rules.key[0] = 1;
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

inline const dry_rules::breaker* first_breaker(const dry_rules& rules, token_id last) noexcept {
  const auto before = [](const dry_rules::breaker& b, token_id token) { return b.last < token; };
  const auto* begin = rules.breakers.data();
  return std::lower_bound(begin, begin + rules.breakers.size(), last, before);
}

inline bool is_single_breaker(const dry_rules& rules, token_id token) noexcept {
  const auto* breaker = first_breaker(rules, token);
  return breaker != rules.breakers.data() + rules.breakers.size() && breaker->last == token &&
         breaker->length == 1;
}

/// The length of the shortest breaker that ends at a position, 0 where none does.
inline std::uint32_t breaker_length(const dry_rules& rules, const token_id* tokens,
                                    std::uint32_t end) noexcept {
  const auto* stop = rules.breakers.data() + rules.breakers.size();
  for (const auto* b = first_breaker(rules, tokens[end]); b != stop && b->last == tokens[end]; ++b) {
    if (b->length > end + 1) return 0;
    const token_id* begin = rules.tokens.data() + b->begin;
    if (std::equal(begin, begin + b->length, tokens + (end + 1 - b->length))) return b->length;
  }
  return 0;
}

/// The newest position below `end` at which a breaker ends, + 1; 0 where there is none.
inline std::uint32_t breaker_before(const detail::breaker_index& index, std::uint32_t end) noexcept {
  std::uint32_t word = end / 64;
  std::uint64_t bits = end % 64 == 0 ? 0 : index.bits[word] & ((std::uint64_t{1} << end % 64) - 1);
  while (bits == 0) {
    if (word == 0) return 0;
    bits = index.bits[--word];
  }
  return word * 64 + static_cast<std::uint32_t>(std::bit_width(bits));
}

inline std::size_t breaker_words(std::size_t positions) noexcept { return positions / 64 + 1; }

/// Looks at the positions that are new, or at all where the breakers are others than before.
inline bool follow_breakers(detail::history& past, const dry_rules& rules) noexcept {
  detail::breaker_index& index = past.index->breakers;
  const std::uint32_t size = past.tokens.size();
  if (!std::equal(rules.key, rules.key + 2, index.key)) {
    std::copy(rules.key, rules.key + 2, index.key);
    index.scanned = index.last = 0;
  }
  if (!index.bits.try_reserve(breaker_words(past.tokens.capacity()))) return false;
  index.bits.resize(static_cast<std::uint32_t>(breaker_words(size)));
  for (std::uint32_t& i = index.scanned; i < size; ++i) {
    std::uint64_t& word = index.bits[i / 64];
    const std::uint64_t bit = std::uint64_t{1} << i % 64;
    const bool ends = breaker_length(rules, past.tokens.data(), i) > 0;
    word = (i % 64 == 0 ? 0 : word & ~bit) | (ends ? bit : 0);
    if (ends) index.last = i + 1;
  }
  return true;
}

inline void forget_breakers(detail::history& past, std::uint32_t size) noexcept {
  detail::breaker_index& index = past.index->breakers;
  index.scanned = std::min(index.scanned, size);
  if (index.last > size) index.last = breaker_before(index, size);
}

/// The fewest tokens that follow a breaker which begins at `first` or later; all of them where there is none.
/// A breaker that is cut by the window's edge is none, so an older and shorter one may count.
inline std::uint32_t unbroken(const detail::history& past, const dry_rules& rules,
                              std::uint32_t first) noexcept {
  const detail::breaker_index& index = past.index->breakers;
  for (std::uint32_t end = index.last; end > first; end = breaker_before(index, end - 1))
    if (end >= first + breaker_length(rules, past.tokens.data(), end - 1)) return past.tokens.size() - end;
  return past.tokens.size() - first;
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::past
