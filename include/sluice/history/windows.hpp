#pragma once

// How often each token stands among the last n: counts that follow their window, for the penalties.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <sluice/history/storage.hpp>
#include <sluice/history/token_map.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

/// Where the window of the last `last_n` tokens begins; negative: all tokens.
inline std::uint32_t window_begin(std::uint32_t size, int last_n) noexcept {
  const auto wanted = static_cast<std::uint32_t>(last_n);
  return last_n < 0 || wanted >= size ? 0 : size - wanted;
}

/// A bound of the distinct tokens of a window while the tokens stay within their capacity.
inline std::size_t distinct_at_most(const history& h, int last_n) noexcept {
  const std::size_t capacity = h.tokens.capacity();
  return last_n < 0 ? capacity : std::min(capacity, static_cast<std::size_t>(last_n));
}

inline bool is_prompt(const history& h, std::uint32_t position) noexcept {
  const auto& edges = h.prompt_edges;
  return (std::upper_bound(edges.begin(), edges.end(), position) - edges.begin()) % 2 != 0;
}

inline bool is_counted(const history& h, counted which, std::uint32_t position) noexcept {
  return which == counted::all || !is_prompt(h, position);
}

inline bool add_position(const history& h, window_counts& window, std::uint32_t position) noexcept {
  if (!is_counted(h, window.which, position)) return true;
  token_count* entry = maps::insert(window.counts, h.tokens[position]);
  if (entry == nullptr) return false;
  ++entry->count;
  return true;
}

inline void remove_position(const history& h, window_counts& window, std::uint32_t position) noexcept {
  if (!is_counted(h, window.which, position)) return;
  const token_id token = h.tokens[position];
  if (--maps::find(window.counts, token)->count == 0) maps::erase(window.counts, token);
}

/// Counts the tokens of [begin, end) after those of another range: costs the positions that differ. Where
/// memory runs out the counts are those of the range that was reached.
inline bool move_window(const history& h, window_counts& window, std::uint32_t begin,
                        std::uint32_t end) noexcept {
  if (begin >= window.end || end <= window.begin) {
    maps::clear(window.counts);
    window.begin = window.end = begin;
  }
  while (window.begin < begin) remove_position(h, window, window.begin++);
  while (window.end > end) remove_position(h, window, --window.end);
  for (; window.begin > begin; --window.begin)
    if (!add_position(h, window, window.begin - 1)) return false;
  for (; window.end < end; ++window.end)
    if (!add_position(h, window, window.end)) return false;
  return true;
}

/// The distinct tokens of the last `last_n` tokens (negative: all) with their counts. Costs the tokens that
/// came and went since the last call. Null where memory ran out; lives until the history changes or four
/// other windows are asked for.
SLUICE_NEVER_INLINE const token_map<token_count>* count_window(history& h, int last_n,
                                                               counted which) noexcept {
  if (!h.index.make()) return nullptr;
  last_n = std::max(last_n, -1);
  auto& windows = h.index->windows;
  auto* found = std::find_if(windows, windows + std::size(windows), [&](const window_counts& w) {
    return w.used != 0 && w.last_n == last_n && w.which == which;
  });
  if (found == windows + std::size(windows)) {
    found = std::min_element(windows, windows + std::size(windows),
                             [](const auto& a, const auto& b) { return a.used < b.used; });
    maps::clear(found->counts);
    found->last_n = last_n;
    found->which = which;
    found->begin = found->end = 0;
  }
  found->used = ++h.index->clock;
  const std::uint32_t size = h.tokens.size();
  if (!maps::reserve(found->counts, distinct_at_most(h, last_n)) ||
      !move_window(h, *found, window_begin(size, last_n), size))
    return nullptr;
  return &found->counts;
}

/// Memory for the counts of the windows in use while the tokens stay within their capacity, where there is
/// some; where there is none it is asked for again when a window is read.
inline void reserve_counts(history& h) noexcept {
  for (window_counts& w : h.index->windows)
    if (w.used != 0) maps::reserve(w.counts, distinct_at_most(h, w.last_n));
}

/// The windows lose the positions from `size` on, whose tokens are still there.
inline void forget_counts(history& h, std::uint32_t size) noexcept {
  for (window_counts& w : h.index->windows)
    if (w.end > size) move_window(h, w, std::min(w.begin, size), size);
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
