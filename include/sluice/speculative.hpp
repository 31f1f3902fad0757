#pragma once

// Speculative decoding: a drafter proposes tokens, the model computes the rows of all of them in one pass,
// and `verify` says how many stand. What comes out is what the target alone would have drawn: the same tokens
// where drafts have no probabilities, the same law where they have.
//
//     std::array<sluice::token_id, 8> drafts;
//     const std::size_t n = sluice::draft_from_history(sequence, drafts);
//     const auto rows = model.forward(last_token, std::span(drafts).first(n));   // n + 1 rows
//     std::array<sluice::token_id, 9> out;
//     const sluice::verified v = sluice::verify(chain, sequence, rows, {std::span(drafts).first(n)}, out);
//     // out[0 .. v.count) are accepted into the sequence; the model keeps the first v.accepted drafts
//
// Rejected drafts leave no trace, so the caller rewinds nothing. A mask for row i is that of the tokens
// before it with the first i drafts accepted.

#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/api.hpp>
#include <sluice/chain/standard_chain.hpp>
#include <sluice/history/lookup.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/serial.hpp>
#include <sluice/speculative/draft.hpp>
#include <sluice/speculative/round.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Verifies drafts in one round and accepts what came of it into the sequence. rows[i] are the logits after
/// the first i drafts; there is one row more than drafts, and of rows - 1, drafts, laws (where there are
/// some) and out - 1 the shortest counts. `options`: none, one for all rows, or one a row; without one a row
/// ends the round before it.
///
/// Without laws each position is drawn as `sample` draws it, up to the first token that differs from its
/// draft. With laws a draft t is accepted if u q(t) < p(t), p the target's law at its place with this
/// position's coins; the first that is not is replaced by a token from max(p - q, 0) (Leviathan et al., arXiv
/// 2211.17192), or the drafts are verified as one block (Sun et al., arXiv 2403.10444), which accepts more.
/// Block verification wants drafts of fresh randomness in each round: a drafter that shares the sequence's
/// seed does not give them. The token after the last accepted draft is drawn as `sample` draws it.
///
/// `status` is that of the row which gave no token, or `out_of_memory`; what was accepted before it stays.
/// Never throws. A row's `sample_record` is that of the token that `out` has for it, nothing where there is
/// none; with one option for all rows it is that of the last token. Cost: a `sample` for each row that is
/// reached; with laws the survivors' probabilities in double as well, and for the position that is replaced,
/// under block verification or with a feedback sampler, its row once more. Allocates nothing once prepared,
/// while the sequence has room.
SLUICE_ALWAYS_INLINE verified verify(const standard_chain& chain, sluice::sequence& sequence,
                                     std::span<const logits_view> rows, const draft& drafted,
                                     std::span<token_id> out, std::span<const call_options> options = {},
                                     verification how = verification::per_token) noexcept {
  return detail::verify_round(detail::chain_access::plan_of(chain), sequence, rows, drafted, out, options,
                              how);
}

/// One request of a `verify_batch`: what `verify` is given, and what it said.
struct verify_item {
  const standard_chain* chain = nullptr;  ///< may serve many items
  sluice::sequence* sequence = nullptr;   ///< of this item alone
  std::span<const logits_view> rows = {};
  draft drafted = {};
  std::span<token_id> out = {};
  std::span<const call_options> options = {};
  verified result = {};
};

/// Verifies every item as `verify` would alone. parallel_for(n, f) calls f(i) once for each i < n, on any
/// threads and in any order; an item whose options name no workspace uses that of its thread. One without
/// chain or sequence gives `no_token_left`.
template <class ParallelFor = serial>
void verify_batch(std::span<verify_item> items, ParallelFor&& parallel_for = ParallelFor{},
                  verification how = verification::per_token) {
  const auto one = [items, how](std::size_t i) noexcept {
    verify_item& item = items[i];
    item.result =
        item.chain != nullptr && item.sequence != nullptr
            ? verify(*item.chain, *item.sequence, item.rows, item.drafted, item.out, item.options, how)
            : verified{.status = sample_status::no_token_left};
  };
  parallel_for(items.size(), one);
}

/// What `draft_from_history` takes for a match.
struct lookup_rules {
  int min_match = 2;   ///< tokens at least, from 1
  int max_match = 16;  ///< tokens at most: longer ones count as this long
  int votes = 1;       ///< so many of the newest places must agree on a token
};

/// Prompt lookup: finds the longest suffix of the sequence's tokens that stands earlier, and copies to `out`
/// the tokens that followed its newest place, up to the end of the sequence; where `votes` is above 1, as far
/// as that many of the newest places agree. Returns how many there are; 0 where nothing matches or memory ran
/// out.
///
/// Reads the index that DRY keeps, whatever match DRY allows, and makes one where there is none. Cost: the
/// tokens since the index was last read, and the earlier occurrences of the last two tokens (of the last one,
/// where DRY counts matches of one token); runs and periods are jumped over. A min_match of 1 beside DRY with
/// longer matches may look through the tokens.
SLUICE_ALWAYS_INLINE std::size_t draft_from_history(sluice::sequence& sequence, std::span<token_id> out,
                                                    const lookup_rules& rules = {}) noexcept {
  const auto from_one = [](int n) noexcept { return n < 1 ? std::uint32_t{1} : std::uint32_t(n); };
  return detail::find_continuation(detail::sequence_access::of(sequence), out, from_one(rules.min_match),
                                   rules.max_match < 0 ? 0 : std::uint32_t(rules.max_match),
                                   from_one(rules.votes));
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
