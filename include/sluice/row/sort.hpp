#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/kernel/arithmetic/rank_key.hpp>

#include <sluice/macros_off.inc>

// Integers in order: rank keys, ids with their places. Each sort stands once, behind a call; copies of them
// would be a good part of what a file that samples costs a compiler.

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_NEVER_INLINE void sort_ascending(std::uint64_t* begin, std::size_t count) noexcept {
  std::sort(begin, begin + count);
}

struct before_by_rank {
  bool operator()(kernel::rank_key a, kernel::rank_key b) const noexcept { return a > b; }
  void sort(std::span<kernel::rank_key> keys) const noexcept;
  void first(std::span<kernel::rank_key> keys, std::size_t count) const noexcept;
};

/// The first in rank first.
SLUICE_NEVER_INLINE void sort_by_rank(std::span<kernel::rank_key> keys) noexcept {
  std::sort(keys.data(), keys.data() + keys.size(), before_by_rank{});
}

/// The first `count` in rank come before the others, the last of them at its place; 0 < count <= size.
SLUICE_NEVER_INLINE void first_by_rank(std::span<kernel::rank_key> keys, std::size_t count) noexcept {
  std::nth_element(keys.data(), keys.data() + (count - 1), keys.data() + keys.size(), before_by_rank{});
}

inline void before_by_rank::sort(std::span<kernel::rank_key> keys) const noexcept { sort_by_rank(keys); }
inline void before_by_rank::first(std::span<kernel::rank_key> keys, std::size_t count) const noexcept {
  first_by_rank(keys, count);
}

/// Keys hold ids inverted in their lower half.
inline void sort_by_id(std::span<kernel::rank_key> keys) noexcept {
  for (kernel::rank_key& key : keys) key = std::rotl(key, 32);
  sort_by_rank(keys);
  for (kernel::rank_key& key : keys) key = std::rotl(key, 32);
}

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
