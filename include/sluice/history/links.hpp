#pragma once

// Earlier occurrences: each position is linked to the newest earlier one where the same two tokens end (or,
// where matches of one token count, the same token), with the length of their common suffix.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sluice/history/storage.hpp>
#include <sluice/history/token_map.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

/// Told of every token that is compared and of every match that is looked at or kept. This one forgets it and
/// costs nothing; tests pass one that adds up.
struct no_count {
  SLUICE_ALWAYS_INLINE void operator()(std::size_t) const noexcept {}
};

/// The length of the longest common suffix of the positions a > b, at most `most`. At a position whose link
/// is to its counterpart the rest is known. That is asked of 16 tokens in turn, then blocks are compared
/// without asking, twice as many each time.
template <class Count = no_count>
std::uint32_t common_suffix(const token_id* tokens, const link* links, std::uint32_t a, std::uint32_t b,
                            std::uint32_t most, Count count = {}) noexcept {
  constexpr std::uint32_t block = 64;
  std::uint32_t length = 0;
  for (std::uint32_t blocks = 1; length < most; blocks *= 2) {
    for (const std::uint32_t stop = std::min(most, length + 16); length < stop; ++length) {
      count(1);
      if (tokens[a - length] != tokens[b - length]) return length;
      const link& known = links[a - length];
      if (known.previous == b - length + 1) return std::min(most, length + known.common);
    }
    for (std::uint32_t i = 0; i < blocks && most - length >= block; ++i, length += block) {
      count(block);
      if (std::memcmp(tokens + (a - length - block + 1), tokens + (b - length - block + 1),
                      block * sizeof(token_id)) != 0)
        break;
    }
  }
  return length;
}

/// The slot of the `Order` tokens that end at a position, or the free one where they belong.
template <std::uint32_t Order>
std::uint32_t link_slot(const link_index& index, const token_id* tokens, std::uint32_t at) noexcept {
  std::uint64_t key = static_cast<std::uint32_t>(tokens[at]);
  if constexpr (Order == 2) key |= std::uint64_t{static_cast<std::uint32_t>(tokens[at - 1])} << 32;
  key *= 0x9E3779B97F4A7C15u;
  key = (key ^ key >> 32) * 0xD6E8FEB86659FD93u;
  const std::uint32_t size = index.newest.size();
  std::uint32_t slot = maps::home(static_cast<std::uint32_t>(key >> 32), size);
  for (;;) {
    const std::uint32_t found = index.newest[slot];
    if (found == 0) return slot;
    if (tokens[found - 1] == tokens[at] && (Order == 1 || tokens[found - 2] == tokens[at - 1])) return slot;
    if (++slot == size) slot = 0;
  }
}

/// Memory for as many positions as there is for tokens; false where there is none. What is indexed enters a
/// larger table in its old order: whatever is undone then still came last.
template <std::uint32_t Order>
bool reserve_links(history& h) noexcept {
  link_index& index = h.index->links;
  const std::size_t wanted = maps::slots_for(h.tokens.capacity());
  if (!index.links.try_reserve(h.tokens.capacity())) return false;
  if (index.newest.size() >= wanted) return true;
  if (!index.newest.try_reserve(wanted)) return false;
  index.newest.resize(static_cast<std::uint32_t>(wanted));
  std::memset(index.newest.data(), 0, wanted * sizeof(std::uint32_t));
  for (std::uint32_t at = Order - 1; at < index.links.size(); ++at)
    index.newest[link_slot<Order>(index, h.tokens.data(), at)] = at + 1;
  return true;
}

/// Links the positions that are new; false where memory ran out. Where the position before continues the same
/// match the common suffix is one longer than its own, so a long match is compared once.
template <std::uint32_t Order, class Count = no_count>
SLUICE_NEVER_INLINE bool update_links(history& h, Count count = {}) noexcept {
  link_index& index = h.index->links;
  if (index.order != Order) {
    index.order = Order;
    index.links.resize(0);
    index.newest.resize(0);
  }
  if (!reserve_links<Order>(h)) return false;
  const token_id* tokens = h.tokens.data();
  link* links = index.links.data();
  std::uint32_t at = index.links.size();
  if (Order == 2 && at == 0 && h.tokens.size() > 0) links[at++] = {};
  for (; at < h.tokens.size(); ++at) {
    count(1);
    std::uint32_t& newest = index.newest[link_slot<Order>(index, tokens, at)];
    const std::uint32_t previous = newest;
    newest = at + 1;
    if (previous == 0)
      links[at] = {};
    else if (at > 0 && links[at - 1].previous + 1 == previous)
      links[at] = {previous, links[at - 1].common + 1};
    else
      links[at] = {previous, Order + common_suffix(tokens, links, at - Order, previous - 1 - Order,
                                                   previous - Order, count)};
  }
  index.links.resize(at);
  return true;
}

/// Takes back the links from `size` on, the newest first.
template <std::uint32_t Order>
void forget_links(history& h, std::uint32_t size) noexcept {
  link_index& index = h.index->links;
  for (std::uint32_t at = index.links.size(); at > size;)
    if (--at + 1 >= Order)
      index.newest[link_slot<Order>(index, h.tokens.data(), at)] = index.links[at].previous;
  if (size < index.links.size()) index.links.resize(size);
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
