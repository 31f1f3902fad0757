#pragma once

// The positions at which a breaker ends: no repetition reaches past one.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <sluice/history/dry_rules.hpp>
#include <sluice/history/storage.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

/// The shortest of the breakers with this last token, or the place where it would stand.
inline const dry_rules::breaker* first_breaker(const dry_rules& rules, token_id last) noexcept {
  const auto before = [](const dry_rules::breaker& b, token_id token) { return b.last < token; };
  const auto* begin = rules.breakers.data();
  return std::lower_bound(begin, begin + rules.breakers.size(), last, before);
}

/// Whether the token alone is a breaker.
inline bool is_breaker(const dry_rules& rules, token_id token) noexcept {
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
inline std::uint32_t breaker_before(const breaker_index& index, std::uint32_t end) noexcept {
  std::uint32_t word = end / 64;
  std::uint64_t bits = end % 64 == 0 ? 0 : index.bits[word] & ((std::uint64_t{1} << end % 64) - 1);
  while (bits == 0) {
    if (word == 0) return 0;
    bits = index.bits[--word];
  }
  return word * 64 + static_cast<std::uint32_t>(std::bit_width(bits));
}

inline std::size_t breaker_words(std::size_t positions) noexcept { return positions / 64 + 1; }

/// Memory for as many positions as there is for tokens; false where there is none.
inline bool reserve_breakers(history& h) noexcept {
  return h.index->breakers.bits.try_reserve(breaker_words(h.tokens.capacity()));
}

/// Looks at the positions that are new, or at all where the breakers are others than before; false where
/// memory ran out.
inline bool update_breakers(history& h, const dry_rules& rules) noexcept {
  breaker_index& index = h.index->breakers;
  const std::uint32_t size = h.tokens.size();
  if (!std::equal(rules.key, rules.key + 2, index.key)) {
    std::copy(rules.key, rules.key + 2, index.key);
    index.scanned = index.last = 0;
  }
  if (!reserve_breakers(h)) return false;
  index.bits.resize(static_cast<std::uint32_t>(breaker_words(size)));
  for (std::uint32_t& i = index.scanned; i < size; ++i) {
    std::uint64_t& word = index.bits[i / 64];
    const std::uint64_t bit = std::uint64_t{1} << i % 64;
    const bool ends = breaker_length(rules, h.tokens.data(), i) > 0;
    word = (i % 64 == 0 ? 0 : word & ~bit) | (ends ? bit : 0);
    if (ends) index.last = i + 1;
  }
  return true;
}

/// Forgets the positions from `size` on.
inline void forget_breakers(history& h, std::uint32_t size) noexcept {
  breaker_index& index = h.index->breakers;
  index.scanned = std::min(index.scanned, size);
  if (index.last > size) index.last = breaker_before(index, size);
}

/// The fewest tokens that follow a breaker which begins at `first` or later; all of them where there is none.
/// A breaker that is cut by the window's edge is none, so an older and shorter one may count.
inline std::uint32_t tokens_after_breaker(const history& h, const dry_rules& rules,
                                          std::uint32_t first) noexcept {
  const breaker_index& index = h.index->breakers;
  for (std::uint32_t end = index.last; end > first; end = breaker_before(index, end - 1))
    if (end >= first + breaker_length(rules, h.tokens.data(), end - 1)) return h.tokens.size() - end;
  return h.tokens.size() - first;
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
