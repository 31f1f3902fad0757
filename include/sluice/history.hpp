#pragma once

// The tokens of a sequence and the counts of its windows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <sluice/history/token_map.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/repeats.hpp>
#include <sluice/sequence.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::past {

enum class origin : std::uint8_t { generated, prompt };

inline bool is_prompt(const detail::history& past, std::uint32_t position) noexcept {
  const auto& turns = past.turns;
  return (std::upper_bound(turns.begin(), turns.end(), position) - turns.begin()) % 2 != 0;
}

/// A capacity for `more` elements beside those that are there.
template <class T>
std::size_t grown(const detail::array<T>& a, std::size_t more) noexcept {
  const std::size_t size = a.size() + more, capacity = a.capacity();
  if (size <= capacity) return capacity;
  return std::max(size, std::clamp<std::size_t>(capacity + capacity / 2, 16, a.limit));
}

/// Notes whose turn it is. What can fail comes first: `add` then puts the tokens in.
template <class Add>
void append(detail::history& past, origin from, Add&& add) {
  const std::uint32_t begin = past.tokens.size();
  const bool turn = (past.turns.size() % 2 != 0) != (from == origin::prompt);
  if (turn) past.turns.reserve(grown(past.turns, 1));
  add(past.tokens);
  if (turn) past.turns.push_back(begin);
}

SLUICE_NEVER_INLINE void accept(detail::history& past, std::span<const token_id> tokens, origin from) {
  if (tokens.empty()) return;
  append(past, from, [&](auto& all) { all.append(tokens.data(), tokens.size(), grown(all, tokens.size())); });
}

SLUICE_NEVER_INLINE void accept_wide(detail::history& past, std::span<const std::int64_t> tokens) {
  if (tokens.empty()) return;
  append(past, origin::generated, [&](auto& all) {
    all.reserve(grown(all, tokens.size()));
    for (const std::int64_t token : tokens)
      all.push_back(token == static_cast<token_id>(token) ? static_cast<token_id>(token) : no_token);
  });
}

inline std::size_t distinct_at_most(const detail::history& past, int last_n) noexcept {
  const std::size_t capacity = past.tokens.capacity();
  return last_n < 0 ? capacity : std::min(capacity, static_cast<std::size_t>(last_n));
}

inline bool counts(const detail::history& past, counted which, std::uint32_t position) noexcept {
  return which == counted::all || !is_prompt(past, position);
}

inline bool add(const detail::history& past, detail::window_counts& window, std::uint32_t position) noexcept {
  if (!counts(past, window.which, position)) return true;
  token_count* entry = maps::insert(window.counts, past.tokens[position]);
  if (entry == nullptr) return false;
  ++entry->count;
  return true;
}

inline void drop(const detail::history& past, detail::window_counts& window,
                 std::uint32_t position) noexcept {
  if (!counts(past, window.which, position)) return;
  const token_id token = past.tokens[position];
  if (--maps::find(window.counts, token)->count == 0) maps::erase(window.counts, token);
}

/// Counts the tokens of [begin, end) after those of another range: costs the positions that differ. Where
/// memory runs out the counts are those of the range that was reached.
inline bool slide(const detail::history& past, detail::window_counts& window, std::uint32_t begin,
                  std::uint32_t end) noexcept {
  if (begin >= window.end || end <= window.begin) {
    maps::clear(window.counts);
    window.begin = window.end = begin;
  }
  while (window.begin < begin) drop(past, window, window.begin++);
  while (window.end > end) drop(past, window, --window.end);
  for (; window.begin > begin; --window.begin)
    if (!add(past, window, window.begin - 1)) return false;
  for (; window.end < end; ++window.end)
    if (!add(past, window, window.end)) return false;
  return true;
}

/// The distinct tokens of the last `last_n` tokens (negative: all) with their counts; `generated` counts
/// generated tokens alone. Costs the tokens that came and went since the last call. Null where memory ran
/// out; lives until the sequence changes or other windows are asked for.
SLUICE_NEVER_INLINE const detail::token_map<token_count>* window(sequence& of, int last_n,
                                                                 counted which) noexcept {
  detail::history& past = detail::history::of(of);
  if (!make_index(past)) return nullptr;
  last_n = std::max(last_n, -1);
  auto& windows = past.index->windows;
  auto* found = std::find_if(windows, windows + std::size(windows), [&](const detail::window_counts& w) {
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
  found->used = ++past.index->tick;
  const std::uint32_t size = past.tokens.size();
  if (!maps::reserve(found->counts, distinct_at_most(past, last_n)) ||
      !slide(past, *found, window_begin(size, last_n), size))
    return nullptr;
  return &found->counts;
}

/// Every part of the index forgets what it knows of the tokens from `size` on, while they are still there.
inline void truncate(detail::history& past, std::uint32_t size) noexcept {
  for (detail::window_counts& w : past.index->windows)
    if (w.end > size) slide(past, w, std::min(w.begin, size), size);
  if (past.index->repeats.order == 1) unlink<1>(past, size);
  if (past.index->repeats.order == 2) unlink<2>(past, size);
  forget_breakers(past, size);
}

SLUICE_NEVER_INLINE void rewind(detail::history& past, std::size_t count) noexcept {
  const std::uint32_t now = past.tokens.size();
  const std::uint32_t size = count < now ? now - static_cast<std::uint32_t>(count) : 0;
  if (past.index != nullptr) truncate(past, size);
  const auto& turns = past.turns;
  past.turns.resize(
      static_cast<std::uint32_t>(std::lower_bound(turns.begin(), turns.end(), size) - turns.begin()));
  past.tokens.resize(size);
}

/// Turns are few: one in 32 tokens. The index gets its memory here where it can; where it cannot, it asks
/// again when it is read.
SLUICE_NEVER_INLINE void reserve(detail::history& past, std::size_t tokens) {
  past.turns.reserve(tokens / 32 + 8);
  past.tokens.reserve(tokens);
  if (past.index == nullptr) return;
  for (detail::window_counts& w : past.index->windows)
    if (w.used != 0) maps::reserve(w.counts, distinct_at_most(past, w.last_n));
  if (past.index->repeats.order == 1) widen<1>(past);
  if (past.index->repeats.order == 2) widen<2>(past);
  if (past.index->breakers.scanned > 0)
    (void)past.index->breakers.bits.try_reserve(breaker_words(past.tokens.capacity()));
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::past

namespace sluice::inline v1 {

SLUICE_ALWAYS_INLINE void sequence::accept(token_id token) {
  past::accept(past_, {&token, 1}, past::origin::generated);
}

SLUICE_ALWAYS_INLINE void sequence::accept(std::span<const token_id> tokens) {
  past::accept(past_, tokens, past::origin::generated);
}

SLUICE_ALWAYS_INLINE void sequence::accept(std::span<const std::int64_t> tokens) {
  past::accept_wide(past_, tokens);
}

SLUICE_ALWAYS_INLINE void sequence::accept_prompt(std::span<const token_id> tokens) {
  past::accept(past_, tokens, past::origin::prompt);
}

SLUICE_ALWAYS_INLINE void sequence::rewind(std::size_t tokens) noexcept { past::rewind(past_, tokens); }

SLUICE_ALWAYS_INLINE void sequence::reserve(std::size_t tokens) { past::reserve(past_, tokens); }

SLUICE_ALWAYS_INLINE sequence sequence::fork(std::uint64_t seed) const {
  sequence other(*this);
  other.past_.seed = seed;
  return other;
}

SLUICE_ALWAYS_INLINE void sequence::reseed(std::uint64_t seed) noexcept { past_.seed = seed; }

SLUICE_ALWAYS_INLINE std::uint64_t sequence::seed() const noexcept { return past_.seed; }

SLUICE_ALWAYS_INLINE std::uint64_t sequence::position() const noexcept {
  return past_.start + past_.tokens.size();
}

SLUICE_ALWAYS_INLINE std::span<const token_id> sequence::tokens() const noexcept {
  return {past_.tokens.data(), past_.tokens.size()};
}

SLUICE_ALWAYS_INLINE double sequence::uniform(std::uint32_t stream) const noexcept {
  return random::open_unit(random::source{seed(), position()}.at(random::stream::user, stream));
}

}  // namespace sluice::inline v1
