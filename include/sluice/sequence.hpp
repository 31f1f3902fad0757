#pragma once

// Who is sampled for: one generation, with its seed, its position and its tokens.
//
//     sluice::sequence sequence(42);
//     sequence.accept_prompt(prompt);
//     while (more) {
//       const sluice::sample_result next = chain.sample(model.forward(), sequence);
//       if (!next) break;
//       sequence.accept(next.token);   // sampling accepts nothing by itself
//     }
//
// The seed and the position decide every random number, the tokens are what penalties and DRY read, and
// nothing else goes into a draw but, under mirostat and adaptive-p, what earlier draws fed back: two
// sequences that are equal in these draw equal tokens, on any machine. What is fed back moves when a drawn
// token is accepted; tokens that are accepted without their draws leave it where it began (state.hpp saves
// it).
//
// A sequence is a value. A copy goes on with the same tokens, a fork with others; one that was moved from is
// empty and may be used again. It belongs to one thread at a time: `window`, `repeats` and every call that
// samples with it may change its index, though never its tokens. Other threads may use other sequences, and
// the same chain, meanwhile.
//
// Here are declarations; a file that calls them includes <sluice/sluice.hpp>.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <sluice/config.hpp>
#include <sluice/fwd.hpp>
#include <sluice/history/storage.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail {
struct sequence_access;
}

/// How often each token stands in a window of the history: a range of token_count in no order, each token
/// once, each count at least 1. A view: it lives until the sequence changes or is read for another window.
class token_counts {
 public:
  SLUICE_ALWAYS_INLINE const token_count* begin() const noexcept;
  SLUICE_ALWAYS_INLINE const token_count* end() const noexcept;
  /// The number of distinct tokens.
  SLUICE_ALWAYS_INLINE std::size_t size() const noexcept;

  /// How often the token stands there; 0 where it does not. Costs a look-up.
  SLUICE_ALWAYS_INLINE std::uint32_t of(token_id token) const noexcept;

  /// False where memory ran out; the range is then empty.
  SLUICE_ALWAYS_INLINE explicit operator bool() const noexcept;

 private:
  friend class sequence;
  SLUICE_ALWAYS_INLINE explicit token_counts(const detail::token_map<token_count>* counts) noexcept;

  const detail::token_map<token_count>* counts_;  // null where memory ran out
};

/// One generation. It holds up to 2^31 - 1 tokens: 4 bytes each until a stage first reads the history, at
/// most 32 from then on, and 16 more for each that moved a feedback sampler.
class sequence {
 public:
  /// Without a seed, one from the system. `position` is where the first token stands: for a generation that
  /// goes on elsewhere.
  SLUICE_ALWAYS_INLINE explicit sequence(std::uint64_t seed = random_seed(),
                                         std::uint64_t position = 0) noexcept;

  /// Copies throw std::bad_alloc where memory runs out, and then change nothing. Cost: what it holds.
  SLUICE_ALWAYS_INLINE sequence(const sequence&) = default;
  SLUICE_ALWAYS_INLINE sequence(sequence&&) noexcept = default;
  SLUICE_ALWAYS_INLINE sequence& operator=(const sequence&) = default;
  SLUICE_ALWAYS_INLINE sequence& operator=(sequence&&) noexcept = default;
  SLUICE_ALWAYS_INLINE ~sequence() = default;

  // --- What was said.

  /// Appends generated tokens. Any id may be accepted, those of no vocabulary too: they match and count like
  /// others and are penalised nowhere. An id of 64 bits that does not fit in 32 is remembered as `no_token`.
  /// Throws std::bad_alloc, and then has accepted none. Cost: the copy; the index follows when it is read.
  SLUICE_ALWAYS_INLINE void accept(token_id token);
  SLUICE_ALWAYS_INLINE void accept(std::span<const token_id> tokens);
  SLUICE_ALWAYS_INLINE void accept(std::span<const std::int64_t> tokens);

  /// Appends tokens that were given: history like others, but not generated. At any time, any number of
  /// times; each token remembers which it was, also through a rewind. Otherwise as `accept`.
  SLUICE_ALWAYS_INLINE void accept_prompt(std::span<const token_id> tokens);

  /// Forgets the newest `tokens` tokens as if they had never been, in every count and index; more than there
  /// are: all. Never allocates. Cost: the tokens that it forgets.
  SLUICE_ALWAYS_INLINE void rewind(std::size_t tokens) noexcept;

  /// Room for so many tokens in all. Below that `accept` allocates nothing and, once a chain has read the
  /// history or prepared it, sampling does not either (but where adaptive-p of different decays takes turns,
  /// 8 bytes a token). Throws std::bad_alloc.
  SLUICE_ALWAYS_INLINE void reserve(std::size_t tokens);

  /// How many of the tokens were accepted and not given as prompt.
  SLUICE_ALWAYS_INLINE std::size_t generated() const noexcept;

  /// All tokens, prompt and generated, oldest first. Lives until the sequence changes.
  SLUICE_ALWAYS_INLINE std::span<const token_id> tokens() const noexcept;

  // --- Which random numbers are its own.

  /// A copy with another seed.
  SLUICE_ALWAYS_INLINE sequence fork(std::uint64_t seed) const;
  /// From the next draw on; the tokens stay.
  SLUICE_ALWAYS_INLINE void reseed(std::uint64_t seed) noexcept;
  SLUICE_ALWAYS_INLINE std::uint64_t seed() const noexcept;

  /// Where the next token stands: the position that the sequence began at + the tokens accepted since.
  SLUICE_ALWAYS_INLINE std::uint64_t position() const noexcept;

  /// A number in (0, 1), both ends excluded, that this seed and position give: for a stage of one's own. The
  /// same one until a token is accepted; independent for each `stream`, and of all that the library draws.
  SLUICE_ALWAYS_INLINE double uniform(std::uint32_t stream) const noexcept;

  // --- What a stage asks of the history.

  /// The tokens of the last `last_n` (-1: all, 0: none) with their counts; `which`: all, or generated ones
  /// alone, of the same positions. Converts to false where memory ran out. Cost: the tokens that came and
  /// went since the same window was last read (the index follows four windows; of a fifth, all of its
  /// tokens).
  SLUICE_ALWAYS_INLINE token_counts window(int last_n, counted which = counted::all) noexcept;

  /// The tokens that would continue a repetition, each with the length of the longest match that it would
  /// continue, in no order; none twice. Empty optional where memory ran out. Lives in the workspace until it
  /// is next used. Cost: the tokens since the last call, and the earlier occurrences of the last two tokens
  /// (of the last one, where a match of one token counts); runs and periods are jumped over.
  SLUICE_ALWAYS_INLINE std::optional<std::span<const token_repeat>> repeats(const dry_rules& rules,
                                                                            workspace& memory) noexcept;

  /// Reads the history ahead for `repeats` and gets the memory that it may need while the sequence stays
  /// within its `reserve` and tokens are below `vocab_size`. False where memory ran out.
  SLUICE_ALWAYS_INLINE bool prepare_repeats(const dry_rules& rules, workspace& memory,
                                            std::size_t vocab_size) noexcept;

 private:
  friend detail::sequence_access;
  detail::history history_;
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
