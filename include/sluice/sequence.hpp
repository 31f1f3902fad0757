#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <sluice/fwd.hpp>
#include <sluice/history/array.hpp>
#include <sluice/history/token_map.hpp>
#include <sluice/types.hpp>

namespace sluice::inline v1 {

/// Which tokens of a window count.
enum class counted : std::uint8_t { all, generated };

/// A token that would go on with a repetition, and the longest match that it would go on with.
struct token_repeat {
  token_id token = no_token;
  std::uint32_t length = 0;
};

namespace detail {

/// A place in the history that matches its end for `length` tokens.
struct stretch {
  std::uint32_t end = 0, length = 0;
};

/// What a search for repetitions works with; nothing stays in it between calls but the memory.
struct repeat_scratch {
  token_map<token_repeat> longest;
  array<stretch> stretches;

  std::size_t bytes() const noexcept {
    return longest.entries.capacity() * sizeof(token_repeat) +
           longest.slots.capacity() * sizeof(std::uint32_t) + stretches.capacity() * sizeof(stretch);
  }
};

/// The counts of one window, as of the positions [begin, end).
struct window_counts {
  SLUICE_ALWAYS_INLINE window_counts() noexcept = default;
  SLUICE_ALWAYS_INLINE window_counts(const window_counts&) = default;
  SLUICE_ALWAYS_INLINE ~window_counts() = default;

  int last_n = 0;  // -1: all
  counted which = counted::all;
  std::uint32_t begin = 0, end = 0;
  std::uint64_t used = 0;  // the tick of its last use, 0: none
  token_map<token_count> counts;
};

/// Of a position: the newest earlier one where the same `order` tokens end (+ 1, 0: none), and the length of
/// the longest common suffix of the two.
struct link {
  std::uint32_t previous = 0, common = 0;
};

/// Every position's link, and the newest position of every run of `order` tokens (place + 1, 0 is free;
/// linear probing; the keys stand in the tokens). Undone in reverse order, so a freed slot never cuts a
/// search short.
struct repeat_index {
  SLUICE_ALWAYS_INLINE repeat_index() noexcept = default;
  SLUICE_ALWAYS_INLINE repeat_index(const repeat_index&) = default;
  SLUICE_ALWAYS_INLINE ~repeat_index() = default;

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

  std::uint64_t tick = 0;
  window_counts windows[4];
  repeat_index repeats;
  breaker_index breakers;
};

/// What a sequence remembers. The index appears when a stage first reads the history; each part then follows
/// the tokens when it is next read, and `rewind` takes back what it had seen.
struct history {
  SLUICE_ALWAYS_INLINE history() noexcept = default;
  SLUICE_ALWAYS_INLINE history(const history& other)
      : seed(other.seed),
        start(other.start),
        tokens(other.tokens),
        turns(other.turns),
        index(other.index == nullptr ? nullptr : new history_index(*other.index)) {}
  SLUICE_ALWAYS_INLINE history(history&& other) noexcept
      : seed(other.seed),
        start(other.start),
        tokens(std::move(other.tokens)),
        turns(std::move(other.turns)),
        index(std::exchange(other.index, nullptr)) {}
  history& operator=(const history&) = delete;
  SLUICE_ALWAYS_INLINE history& operator=(history&& other) noexcept {
    std::swap(seed, other.seed);
    std::swap(start, other.start);
    tokens = std::move(other.tokens);
    turns = std::move(other.turns);
    std::swap(index, other.index);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~history() { delete index; }

  /// The history of a sequence, for the functions that work on it.
  SLUICE_ALWAYS_INLINE static history& of(sequence& s) noexcept;

  std::uint64_t seed = 0, start = 0;
  array<token_id> tokens;
  array<std::uint32_t> turns;  // positions where prompt begins (even places) and ends (odd ones)
  history_index* index = nullptr;
};

}  // namespace detail

/// Who is sampled for: one generation, with its seed, position and tokens. A value: a copy goes on with the
/// same tokens, a fork with others; a moved-from sequence is empty. 4 bytes a token until a stage reads the
/// history, about 32 from then on. Holds up to 2^31 - 1 tokens. Not for two threads at once.
class sequence {
 public:
  SLUICE_ALWAYS_INLINE explicit sequence(std::uint64_t seed = random_seed(),
                                         std::uint64_t position = 0) noexcept {
    past_.seed = seed;
    past_.start = position;
  }
  SLUICE_ALWAYS_INLINE sequence(const sequence&) = default;
  SLUICE_ALWAYS_INLINE sequence(sequence&&) noexcept = default;
  SLUICE_ALWAYS_INLINE sequence& operator=(const sequence& other) { return *this = sequence(other); }
  SLUICE_ALWAYS_INLINE sequence& operator=(sequence&&) noexcept = default;
  SLUICE_ALWAYS_INLINE ~sequence() = default;

  /// Generated tokens. An id of 64 bits that does not fit in 32 is remembered as `no_token`. All of them are
  /// accepted or, with std::bad_alloc, none.
  SLUICE_ALWAYS_INLINE void accept(token_id token);
  SLUICE_ALWAYS_INLINE void accept(std::span<const token_id> tokens);
  SLUICE_ALWAYS_INLINE void accept(std::span<const std::int64_t> tokens);

  /// Tokens that were given: they are history like others, and not generated. At any time, any number of
  /// times; each token remembers which it was.
  SLUICE_ALWAYS_INLINE void accept_prompt(std::span<const token_id> tokens);

  /// Forgets the newest tokens as if they had never been; more than there are: all.
  SLUICE_ALWAYS_INLINE void rewind(std::size_t tokens) noexcept;

  /// Room for so many tokens in all: below that `accept` allocates nothing, nor does a stage that has read
  /// the history once. Throws std::bad_alloc.
  SLUICE_ALWAYS_INLINE void reserve(std::size_t tokens);

  /// A copy with another seed.
  SLUICE_ALWAYS_INLINE sequence fork(std::uint64_t seed) const;
  SLUICE_ALWAYS_INLINE void reseed(std::uint64_t seed) noexcept;

  SLUICE_ALWAYS_INLINE std::uint64_t seed() const noexcept;
  /// Where the next token stands: the position that the sequence began at + the tokens accepted since.
  SLUICE_ALWAYS_INLINE std::uint64_t position() const noexcept;
  SLUICE_ALWAYS_INLINE std::span<const token_id> tokens() const noexcept;

  /// A number in (0, 1) of this position, for a stage of one's own: independent for each `stream` and of
  /// everything that the library draws.
  SLUICE_ALWAYS_INLINE double uniform(std::uint32_t stream) const noexcept;

 private:
  friend struct detail::history;
  detail::history past_;
};

SLUICE_ALWAYS_INLINE detail::history& detail::history::of(sequence& s) noexcept { return s.past_; }

}  // namespace sluice::inline v1
