#pragma once

#include <tuple>
#include <vector>

#include <sluice/row/members.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Min-tokens: `end_tokens` are absent, as if masked, while fewer than n tokens were generated. Counts tokens
/// of the sequence that are no prompt, so a rewind is counted back. n = 0 or no end token: off. Ids outside
/// the row are passed over. Cost: the tokens named.
struct min_tokens {
  static constexpr place where = place::min_tokens;
  static constexpr stage_kind kind = stage_kind::edit;
  int n = 0;
  std::vector<token_id> end_tokens = {};

  static constexpr auto parameters =
      std::tuple{parameter{"min_tokens", &min_tokens::n, &sampling_params::min_tokens, detail::from_zero},
                 parameter{"end_tokens", &min_tokens::end_tokens, &sampling_params::end_tokens}};

  bool active() const noexcept { return n > 0 && !end_tokens.empty(); }
  void operator()(row& r, sequence& q) const noexcept {
    if (q.generated() < std::size_t(n)) detail::row_internals::forbid(r, end_tokens);
  }
};
static_assert(history_stage<min_tokens>);

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
