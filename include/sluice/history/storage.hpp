#pragma once

// What a sequence remembers: its tokens, and the index that penalties and DRY read. Data alone; the functions
// that work on it stand in the other files of this folder, each part in one of its own.
//
// Every part of the index follows the tokens when it is next read, and forgets what a rewind takes back.
// Positions are counted from the first token of the sequence.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <sluice/config.hpp>
#include <sluice/memory.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail {

/// Tokens with a value each: `Entry` begins with `token_id token`. The entries lie side by side in no order,
/// so a walk over them is a walk over an array; `places` finds an entry by its token (place in `entries` + 1,
/// 0 is free; linear probing). At most 16 of 23 slots are taken, so a token costs sizeof(Entry) + 5.75 bytes.
template <class Entry>
struct token_map {
  SLUICE_ALWAYS_INLINE token_map() noexcept = default;
  SLUICE_ALWAYS_INLINE token_map(const token_map&) = default;
  SLUICE_ALWAYS_INLINE token_map(token_map&&) noexcept = default;
  SLUICE_ALWAYS_INLINE token_map& operator=(token_map&&) noexcept = default;
  SLUICE_ALWAYS_INLINE ~token_map() = default;

  SLUICE_ALWAYS_INLINE std::size_t bytes() const noexcept {
    return entries.capacity() * sizeof(Entry) + places.capacity() * sizeof(std::uint32_t);
  }

  array<Entry> entries;
  array<std::uint32_t> places;
};

/// The counts of one window: of the positions [begin, end).
struct window_counts {
  SLUICE_ALWAYS_INLINE window_counts() noexcept = default;
  SLUICE_ALWAYS_INLINE window_counts(const window_counts&) = default;
  SLUICE_ALWAYS_INLINE ~window_counts() = default;

  int last_n = 0;  // -1: all
  counted which = counted::all;
  std::uint32_t begin = 0, end = 0;
  std::uint64_t used = 0;  // `clock` when it was last read, 0: never
  token_map<token_count> counts;
};

/// Of a position: the newest earlier one where the same `order` tokens end (+ 1, 0: none), and the length of
/// the longest common suffix of the two.
struct link {
  std::uint32_t previous = 0, common = 0;
};

/// Every position's link, and the newest position of every run of `order` tokens (position + 1, 0 is free;
/// linear probing; the keys stand in the tokens). Undone in reverse order, so a freed slot never cuts a
/// search short.
struct link_index {
  SLUICE_ALWAYS_INLINE link_index() noexcept = default;
  SLUICE_ALWAYS_INLINE link_index(const link_index&) = default;
  SLUICE_ALWAYS_INLINE ~link_index() = default;

  std::uint32_t order = 0;  // 1 or 2; 0: not built
  array<link> links;        // as many as positions are indexed
  array<std::uint32_t> newest;
};

/// The positions at which a breaker ends, one bit each, for the breakers of that key.
struct breaker_index {
  SLUICE_ALWAYS_INLINE breaker_index() noexcept = default;
  SLUICE_ALWAYS_INLINE breaker_index(const breaker_index&) = default;
  SLUICE_ALWAYS_INLINE ~breaker_index() = default;

  std::uint64_t key[2] = {0, 0};
  std::uint32_t scanned = 0;  // positions that were looked at
  std::uint32_t last = 0;     // the newest of them at which a breaker ends + 1, 0: none
  array<std::uint64_t> bits;
};

struct history_index {
  SLUICE_ALWAYS_INLINE history_index() noexcept = default;
  SLUICE_ALWAYS_INLINE history_index(const history_index&) = default;
  SLUICE_ALWAYS_INLINE ~history_index() = default;

  std::uint64_t clock = 0;  // readings of windows so far
  window_counts windows[4];
  link_index links;
  breaker_index breakers;
};

enum class feedback_kind : std::uint32_t { none, mirostat, adaptive_p };

/// A value that draws feed back, and whether a token has moved it yet; until then it is what the chain starts
/// with. Mirostat: mu. Adaptive-p: the sum of probabilities and of their weights.
struct feedback_value {
  double value = 0, weight = 0;
  bool started = false;
};

/// A draw, and what its acceptance makes of the value. It is forgotten when any token is accepted or taken
/// back.
struct pending_draw {
  feedback_kind kind = feedback_kind::none;
  token_id token = no_token;
  double value = 0, weight = 0;
};

/// What stood before the token at `position` moved it.
struct feedback_step {
  std::uint32_t position = 0;
  std::uint32_t before = 0;  // see feedback.hpp
  double value = 0;
};

struct feedback {
  SLUICE_ALWAYS_INLINE feedback() noexcept = default;
  SLUICE_ALWAYS_INLINE feedback(const feedback&) = default;
  SLUICE_ALWAYS_INLINE ~feedback() = default;

  feedback_value mirostat, adaptive;
  pending_draw pending;
  array<feedback_step> trail;  // ascending positions
  array<double> weights;       // those that steps name
};

struct history {
  SLUICE_ALWAYS_INLINE history() noexcept = default;
  SLUICE_ALWAYS_INLINE history(const history& other)
      : seed(other.seed),
        start(other.start),
        tokens(other.tokens),
        prompt_edges(other.prompt_edges),
        index(other.index),
        feedback(other.feedback) {}
  SLUICE_ALWAYS_INLINE history(history&& other) noexcept
      : seed(other.seed),
        start(other.start),
        tokens(std::move(other.tokens)),
        prompt_edges(std::move(other.prompt_edges)),
        index(std::move(other.index)),
        feedback(std::move(other.feedback)) {}
  SLUICE_ALWAYS_INLINE history& operator=(const history& other) { return *this = history(other); }
  SLUICE_ALWAYS_INLINE history& operator=(history&& other) noexcept {
    std::swap(seed, other.seed);
    std::swap(start, other.start);
    tokens = std::move(other.tokens);
    prompt_edges = std::move(other.prompt_edges);
    index = std::move(other.index);
    feedback = std::move(other.feedback);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~history() = default;

  std::uint64_t seed = 0, start = 0;
  array<token_id> tokens;
  array<std::uint32_t> prompt_edges;  // positions where prompt begins (even places) and ends (odd ones)
  owned<history_index> index;
  owned<detail::feedback> feedback;
};

/// A position whose tokens equal the end of the history, for `length` tokens.
struct suffix_match {
  std::uint32_t end = 0, length = 0;
};

/// What a search for repetitions works with. It belongs to a workspace: between two searches nothing of it is
/// needed but the memory.
struct repeat_scratch {
  SLUICE_ALWAYS_INLINE repeat_scratch() noexcept = default;
  SLUICE_ALWAYS_INLINE repeat_scratch(repeat_scratch&&) noexcept = default;
  SLUICE_ALWAYS_INLINE repeat_scratch& operator=(repeat_scratch&&) noexcept = default;
  SLUICE_ALWAYS_INLINE ~repeat_scratch() = default;

  token_map<token_repeat> longest;
  array<suffix_match> matches;

  SLUICE_ALWAYS_INLINE std::size_t bytes() const noexcept {
    return longest.bytes() + matches.capacity() * sizeof(suffix_match);
  }
};

}  // namespace sluice::inline v1::detail

#include <sluice/macros_back.inc>
