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

/// The last of a chain: picks the token.
template <class S>
concept draw_stage = S::where == place::draw&& requires(const S& s, row& r, const sequence& q) {
  { s(r, q) }
  noexcept->std::convertible_to<token_id>;
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
