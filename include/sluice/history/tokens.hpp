#pragma once

// What changes the tokens: appending, rewinding, and room ahead. The index is told here what a rewind takes
// back; what is appended it finds by itself when it is next read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/history/breakers.hpp>
#include <sluice/history/feedback.hpp>
#include <sluice/history/links.hpp>
#include <sluice/history/storage.hpp>
#include <sluice/history/windows.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

enum class origin : std::uint8_t { generated, prompt };

/// A capacity for `more` elements beside those that are there.
template <class T>
std::size_t capacity_for(const array<T>& a, std::size_t more) noexcept {
  const std::size_t size = a.size() + more, capacity = a.capacity();
  if (size <= capacity) return capacity;
  return std::max(size, std::clamp<std::size_t>(capacity + capacity / 2, 16, a.limit));
}

/// Appends through `add(tokens)`, and an edge where prompt begins or ends. What can fail comes first: memory
/// for the edge and for what a draw feeds back, then `add`, which appends all or throws.
template <class Add>
void append(history& h, origin from, Add&& add) {
  const std::uint32_t begin = h.tokens.size();
  const bool ends_in_prompt = h.prompt_edges.size() % 2 != 0;
  const bool edge = ends_in_prompt != (from == origin::prompt);
  if (edge) h.prompt_edges.reserve(capacity_for(h.prompt_edges, 1));
  if (h.feedback) reserve_step(*h.feedback);
  add(h.tokens);
  if (edge) h.prompt_edges.push_back(begin);
  if (h.feedback) move_feedback(*h.feedback, begin, from == origin::generated ? h.tokens[begin] : no_token);
}

/// Memory for one more generated token, which `accept` then takes without asking; false where there is none.
SLUICE_NEVER_INLINE bool room_for_one(history& h) noexcept {
  const auto grow = [](auto& a) noexcept { return a.try_reserve(capacity_for(a, 1)); };
  if (h.prompt_edges.size() % 2 != 0 && !grow(h.prompt_edges)) return false;
  if (h.feedback && !(grow(h.feedback->trail) && grow(h.feedback->weights))) return false;
  return grow(h.tokens);
}

SLUICE_NEVER_INLINE void accept(history& h, std::span<const token_id> tokens, origin from) {
  if (tokens.empty()) return;
  append(h, from,
         [&](auto& all) { all.append(tokens.data(), tokens.size(), capacity_for(all, tokens.size())); });
}

/// Ids that do not fit in 32 bits become `no_token`.
SLUICE_NEVER_INLINE void accept_wide(history& h, std::span<const std::int64_t> tokens) {
  if (tokens.empty()) return;
  append(h, origin::generated, [&](auto& all) {
    all.reserve(capacity_for(all, tokens.size()));
    for (const std::int64_t token : tokens)
      all.push_back(token == static_cast<token_id>(token) ? static_cast<token_id>(token) : no_token);
  });
}

/// Tokens that are no prompt.
inline std::size_t generated(const history& h) noexcept {
  const auto& edges = h.prompt_edges;
  std::size_t prompt = edges.size() % 2 != 0 ? h.tokens.size() : 0;
  for (std::uint32_t i = 0; i < edges.size(); ++i)
    prompt = i % 2 != 0 ? prompt + edges[i] : prompt - edges[i];
  return h.tokens.size() - prompt;
}

/// Every part of the index forgets the positions from `size` on, while their tokens are still there.
inline void forget_index(history& h, std::uint32_t size) noexcept {
  forget_counts(h, size);
  if (h.index->links.order == 1) forget_links<1>(h, size);
  if (h.index->links.order == 2) forget_links<2>(h, size);
  forget_breakers(h, size);
}

/// Forgets the newest `count` tokens, all where there are not so many.
SLUICE_NEVER_INLINE void rewind(history& h, std::size_t count) noexcept {
  const std::uint32_t now = h.tokens.size();
  const std::uint32_t size = count < now ? now - static_cast<std::uint32_t>(count) : 0;
  if (h.index) forget_index(h, size);
  if (h.feedback && size < now) rewind_feedback(*h.feedback, size);
  auto& edges = h.prompt_edges;
  edges.resize(
      static_cast<std::uint32_t>(std::lower_bound(edges.begin(), edges.end(), size) - edges.begin()));
  h.tokens.resize(size);
}

/// Room for `tokens` tokens and, as prompt and answers alternate rarely, an edge in 32 of them. The parts of
/// the index in use get their memory too, where there is some; otherwise they ask again when they are read.
SLUICE_NEVER_INLINE void reserve(history& h, std::size_t tokens) {
  h.prompt_edges.reserve(tokens / 32 + 8);
  h.tokens.reserve(tokens);
  if (h.feedback) h.feedback->trail.reserve(tokens);
  if (!h.index) return;
  reserve_counts(h);
  if (h.index->links.order == 1) reserve_links<1>(h);
  if (h.index->links.order == 2) reserve_links<2>(h);
  if (h.index->breakers.scanned > 0) reserve_breakers(h);
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
