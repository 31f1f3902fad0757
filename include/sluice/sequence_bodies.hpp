#pragma once

// The members of sequence and token_counts: each hands over to the history's functions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <sluice/history/dry_rules.hpp>
#include <sluice/history/repeats.hpp>
#include <sluice/history/token_map.hpp>
#include <sluice/history/tokens.hpp>
#include <sluice/history/windows.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/random/seed.hpp>  // of a sequence that is given none
#include <sluice/sequence.hpp>
#include <sluice/workspace.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail {

/// The history of a sequence, for the library's own parts.
struct sequence_access {
  SLUICE_ALWAYS_INLINE static history& of(sequence& q) noexcept { return q.history_; }
  SLUICE_ALWAYS_INLINE static const history& of(const sequence& q) noexcept { return q.history_; }
};

}  // namespace detail

SLUICE_ALWAYS_INLINE token_counts::token_counts(const detail::token_map<token_count>* counts) noexcept
    : counts_(counts) {}

SLUICE_ALWAYS_INLINE const token_count* token_counts::begin() const noexcept {
  return counts_ != nullptr ? counts_->entries.begin() : nullptr;
}

SLUICE_ALWAYS_INLINE const token_count* token_counts::end() const noexcept {
  return counts_ != nullptr ? counts_->entries.end() : nullptr;
}

SLUICE_ALWAYS_INLINE std::size_t token_counts::size() const noexcept {
  return counts_ != nullptr ? counts_->entries.size() : 0;
}

SLUICE_ALWAYS_INLINE std::uint32_t token_counts::of(token_id token) const noexcept {
  const token_count* const found = counts_ != nullptr ? detail::maps::find(*counts_, token) : nullptr;
  return found != nullptr ? found->count : 0;
}

SLUICE_ALWAYS_INLINE token_counts::operator bool() const noexcept { return counts_ != nullptr; }

SLUICE_ALWAYS_INLINE sequence::sequence(std::uint64_t seed, std::uint64_t position) noexcept {
  history_.seed = seed;
  history_.start = position;
}

SLUICE_ALWAYS_INLINE void sequence::accept(token_id token) {
  detail::accept(history_, {&token, 1}, detail::origin::generated);
}

SLUICE_ALWAYS_INLINE void sequence::accept(std::span<const token_id> tokens) {
  detail::accept(history_, tokens, detail::origin::generated);
}

SLUICE_ALWAYS_INLINE void sequence::accept(std::span<const std::int64_t> tokens) {
  detail::accept_wide(history_, tokens);
}

SLUICE_ALWAYS_INLINE void sequence::accept_prompt(std::span<const token_id> tokens) {
  detail::accept(history_, tokens, detail::origin::prompt);
}

SLUICE_ALWAYS_INLINE void sequence::rewind(std::size_t tokens) noexcept { detail::rewind(history_, tokens); }

SLUICE_ALWAYS_INLINE void sequence::reserve(std::size_t tokens) { detail::reserve(history_, tokens); }

SLUICE_ALWAYS_INLINE std::size_t sequence::generated() const noexcept { return detail::generated(history_); }

SLUICE_ALWAYS_INLINE std::span<const token_id> sequence::tokens() const noexcept {
  return {history_.tokens.data(), history_.tokens.size()};
}

SLUICE_ALWAYS_INLINE sequence sequence::fork(std::uint64_t seed) const {
  sequence other(*this);
  other.reseed(seed);
  return other;
}

SLUICE_ALWAYS_INLINE void sequence::reseed(std::uint64_t seed) noexcept { history_.seed = seed; }

SLUICE_ALWAYS_INLINE std::uint64_t sequence::seed() const noexcept { return history_.seed; }

SLUICE_ALWAYS_INLINE std::uint64_t sequence::position() const noexcept {
  return history_.start + history_.tokens.size();
}

SLUICE_ALWAYS_INLINE double sequence::uniform(std::uint32_t stream) const noexcept {
  return random::open_unit(random::source{seed(), position()}.at(random::stream::user, stream));
}

SLUICE_ALWAYS_INLINE token_counts sequence::window(int last_n, counted which) noexcept {
  return token_counts(detail::count_window(history_, last_n, which));
}

SLUICE_ALWAYS_INLINE std::optional<std::span<const token_repeat>> sequence::repeats(
    const dry_rules& rules, workspace& memory) noexcept {
  std::span<const token_repeat> found;
  if (!detail::find_repeats(history_, rules, detail::workspace_access::repeats(memory), found))
    return std::nullopt;
  return found;
}

SLUICE_ALWAYS_INLINE bool sequence::prepare_repeats(const dry_rules& rules, workspace& memory,
                                                    std::size_t vocab_size) noexcept {
  return detail::prepare_repeats(history_, rules, detail::workspace_access::repeats(memory), vocab_size);
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
