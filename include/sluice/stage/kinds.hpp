#pragma once

#include <cstdint>
#include <string_view>

#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// What a stage does to a row. `edit`: changes logits before the filters; acts in greedy decoding too.
/// `filter`: removes tokens, the others keep their logits. `reshape`: changes the odds of survivors. `draw`:
/// picks the token.
enum class stage_kind : std::uint8_t { edit, filter, reshape, draw };

/// How the text of an order names a stage. Stages that share a name run where it stands, in their fixed
/// order.
struct stage_name {
  std::string_view text = {};
  char letter = 0;  ///< 0: none
  std::string_view alias = {}, second_alias = {};
};

/// The kind that a stage declares; one of one's own need not: what stands before top-n-sigma edits.
template <class S>
constexpr stage_kind kind_of() noexcept {
  if constexpr (requires { S::kind; }) {
    return S::kind;
  } else {
    return S::where < place::top_n_sigma ? stage_kind::edit : stage_kind::filter;
  }
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
