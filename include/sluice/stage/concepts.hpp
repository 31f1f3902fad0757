#pragma once

#include <concepts>
#include <utility>

#include <sluice/fwd.hpp>
#include <sluice/types.hpp>

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
/// `void build()`, called once by the chain's constructor; `problem check() const`, the first parameter out
/// of its range; `bool prepare(sequence&, workspace&, std::size_t vocab_size) const noexcept`, which reads
/// the history ahead.
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

namespace detail {

inline problem first_problem(problem first) { return first; }

/// The first of several checks that found something.
template <class... Problems>
problem first_problem(problem first, Problems... others) {
  return first ? first : first_problem(std::move(others)...);
}

}  // namespace detail
}  // namespace sluice::inline v1
