#pragma once

#include <concepts>

#include <sluice/fwd.hpp>
#include <sluice/stage/kinds.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// A stage that reads the row alone.
template <class S>
concept row_stage = requires(const S& s, row& r) {
  { s(r) }
  noexcept;
};

/// A stage that reads the history, or draws a coin.
template <class S>
concept history_stage = requires(const S& s, row& r, sequence& q) {
  { s(r, q) }
  noexcept;
};

/// What a chain is made of: one of the two, a place, and whether it has anything to do. Optional members:
///   static constexpr stage_kind kind     edit, filter or reshape; by its place where it is not said
///   static constexpr stage_name name     how the text of an order names it
///   static constexpr auto parameters     its parameters with their ranges, as stage/parameter.hpp lists them
///   problem check() const                what the ranges do not tell
///   void build()                         called once by the chain's constructor
///   bool prepare(sequence&, workspace&, std::size_t vocab_size) const noexcept     reads the history ahead
///   bool greedy() const noexcept         whether the chain then takes the best token and filters nothing
template <class S>
concept stage = (row_stage<S> || history_stage<S>)&&requires(const S& s) {
  { S::where } -> std::convertible_to<place>;
  { s.active() }
  noexcept->std::convertible_to<bool>;
};

/// Draws by the chain's own draw from a row that it shapes first, and learns what was drawn: `shape` makes
/// the row the law that is drawn from, `settle` notes in the sequence what accepting a token of it will mean;
/// false where memory ran out. `by`: the draw_method.
template <class S>
concept feedback_draw = S::where == place::draw&& requires(const S& s, row& r, sequence& q, token_id token) {
  { s.shape(r, q) }
  noexcept;
  { s.settle(r, q, token) }
  noexcept->std::convertible_to<bool>;
  { s.by } -> std::convertible_to<draw_method>;
  { s.active() }
  noexcept->std::convertible_to<bool>;
};

/// The last of a chain: picks the token.
template <class S>
concept draw_stage = feedback_draw<S> ||
    (S::where == place::draw && requires(const S& s, row& r, sequence& q) {
      { s(r, q) }
      noexcept->std::convertible_to<token_id>;
    });

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
