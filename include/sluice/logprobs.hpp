#pragma once

// Log-probabilities of tokens and their ranks: what an engine reports beside the tokens that it draws.
//
//     const sluice::token_id asked[] = {drawn.token};
//     const sluice::logprob_request request{.best = 5, .tokens = asked};
//     for (const sluice::token_logprob& t : sluice::logprobs(chain, row, sequence, request))
//       report(t.id, t.logprob, t.rank);  // the drawn token, then the best five
//
// The final log-probability of the drawn token alone comes with the draw: `call_options::record`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include <sluice/api.hpp>
#include <sluice/chain/chain.hpp>
#include <sluice/chain/run.hpp>
#include <sluice/chain/standard_chain.hpp>
#include <sluice/cut/by_rank.hpp>
#include <sluice/draw/log_law.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Of which law. `raw`: softmax of the row as it is given; no mask, no bias, no temperature. `edited`: after
/// mask, min_tokens, biases and penalties, and whatever else edits; no temperature. `final_law`: what the
/// draw draws from, the filters, T and this position's coins included.
enum class logprob_of : std::uint8_t { raw, edited, final_law };

/// Rank from 1 in the order of the law's row, logit descending, id ascending, as `distribution` has it. An
/// absent token has rank 0 and -inf.
struct token_logprob {
  token_id id = no_token;
  float logprob = 0;  ///< natural logarithm
  std::uint32_t rank = 0;
};

struct logprob_request {
  logprob_of of = logprob_of::raw;
  std::size_t best = 0;                   ///< so many of the first in rank, or all where there are fewer
  std::span<const token_id> tokens = {};  ///< of these; any id may stand here, also twice
};

namespace detail::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// Mask, min_tokens, biases, penalties: the steps that edit, in their order.
inline void run_edits(const planned& chain, row& r, sequence& q) noexcept {
  const plan& p = chain.plan;
  std::size_t i = 0;
  for (; i < p.before_biases; ++i) chain.code.run[p.steps[i].stage](chain.stages, r, q);
  if (!p.adds_bias) row_internals::add_biases(r, {});
  for (; i < p.steps.size() && r.status() == sample_status::ok && !r.empty(); ++i)
    if (p.steps[i].kind == stage_kind::edit) chain.code.run[p.steps[i].stage](chain.stages, r, q);
}

/// Of a token that is present, at `index` of its block. One look at the blocks that reach its logit: those
/// before its own hold lower ids, so there a tie ranks first.
inline std::uint32_t rank_of(const row_blocks& blocks, const kernel::block& own,
                             std::uint32_t index) noexcept {
  const float logit = own.logits[index];
  const kernel::block* const all = blocks.widened(logit);
  const auto before = std::size_t(&own - all), after = blocks.block_count() - before - 1;
  std::size_t rank = 1 + blocks.kernels().count(all, before, logit);
  if (logit < std::numeric_limits<float>::max())
    rank += blocks.kernels().count(&own + 1, after, kernel::next_up(logit));
  for (std::uint32_t i = 0; i < own.count; ++i)
    rank += own.logits[i] > logit || (i < index && own.logits[i] == logit);
  return std::uint32_t(rank);
}

/// More tokens than these are ranked by sorting the row once.
inline constexpr std::size_t few_ranks = 256;

/// ln p and, for few tokens, the rank; otherwise a rank of 1 stands for all that are present.
SLUICE_NEVER_INLINE void take_asked(row& r, const draw::log_law& law, std::span<const token_id> tokens,
                                    token_logprob* out) noexcept {
  row_blocks& blocks = row_internals::blocks(r);
  const bool few = tokens.size() <= few_ranks;
  float least = r.max();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::uint32_t index = 0;
    const kernel::block* const own = blocks.place_of(tokens[i], index);
    if (own == nullptr) continue;
    const float logit = own->logits[index];
    least = std::min(least, logit);
    out[i].logprob = law.of(tokens[i], logit);
    out[i].rank = few ? rank_of(blocks, *own, index) : 1;
  }
  if (few) return;
  const std::span<kernel::rank_key> keys = cut::keys_in(blocks, least);
  sort_by_rank(keys);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::uint32_t index = 0;
    if (out[i].rank == 0) continue;
    const kernel::block* const own = blocks.place_of(tokens[i], index);
    const auto* const at = std::lower_bound(keys.data(), keys.data() + keys.size(),
                                            kernel::key_of(own->logits[index], tokens[i]), std::greater<>());
    out[i].rank = std::uint32_t(at - keys.data()) + 1;
  }
}

/// The entries lie behind the row's memory.
SLUICE_NEVER_INLINE std::span<const token_logprob> logprobs_exactly(const planned& chain,
                                                                    const logits_view& logits, sequence& q,
                                                                    const logprob_request& wanted,
                                                                    const call_options& call,
                                                                    workspace& memory) noexcept {
  const std::size_t vocab = kernel::vocab_of(logits), asked = wanted.tokens.size();
  if (vocab > longest_row) return {};
  const std::size_t best = std::min(wanted.best, vocab), count = asked + best;
  const call_options no_options;
  const call_options& options = wanted.of == logprob_of::raw ? no_options : call;
  const std::size_t blocks = (vocab + block_size - 1) / block_size;
  const std::size_t row_bytes =
      (row_blocks::bytes(std::max(vocab, logits.size()), blocks, options.bias.size()) + 7) / 8 * 8;
  std::byte* const begin = workspace_access::row_memory(memory, row_bytes + count * sizeof(token_logprob));
  if (begin == nullptr) return {};
  auto* const out = reinterpret_cast<token_logprob*>(begin + row_bytes);

  row r(logits, options, memory,
        wanted.of == logprob_of::final_law ? chain.plan.cuts_by : truncation_engine::select);
  draw_method method = draw_method::gumbel;
  if (r.status() == sample_status::ok) {
    if (wanted.of == logprob_of::raw) {
      row_internals::add_biases(r, {});
    } else if (wanted.of == logprob_of::edited) {
      run_edits(chain, r, q);
    } else {
      run(chain, r, q, options, detail::wanted::survivors);
      method = chain.plan.draw;
    }
  }
  if (r.status() != sample_status::ok && r.status() != sample_status::no_token_left) return {};
  for (std::size_t i = 0; i < asked; ++i) {
    out[i].id = wanted.tokens[i];
    out[i].logprob = kernel::infinite(-1);
    out[i].rank = 0;
  }
  if (r.empty()) return {out, asked};
  const draw::log_law law(r, method);
  if (asked > 0) take_asked(r, law, wanted.tokens, out);
  std::uint32_t rank = 0;
  for (const candidate& c : r.top(best)) {
    token_logprob& t = out[asked + rank];
    t.id = c.id;
    t.logprob = law.of(c.id, c.logit);
    t.rank = ++rank;
  }
  return {out, asked + rank};
}

SLUICE_IEEE_END

SLUICE_NEVER_INLINE std::span<const token_logprob> find_logprobs(const planned& chain,
                                                                 const logits_view& logits, sequence& q,
                                                                 const logprob_request& wanted,
                                                                 const call_options& call) noexcept {
  if (wanted.best == 0 && wanted.tokens.empty()) return {};
  const exact_arithmetic arithmetic;
  return logprobs_exactly(chain, logits, q, wanted, call, memory_of(call.workspace));
}

}  // namespace detail::inline SLUICE_ISA

/// Those asked for in the order of `tokens`, then the best. Nothing is drawn, and no token changes by it; of
/// the options `raw` looks at the workspace alone, and `edited` at no temperature. Where a +inf is left, the
/// +inf tokens share the law, as they do in a draw. A greedy final law is one token with ln p = 0; under the
/// softmax draw a survivor whose mass rounds to 0 has its rank and -inf, under gumbel one that lies 200 nats
/// below the best has -200. With xtc_marginal the order is that of logits, and of probabilities it may not
/// be. ln sum e^(l - max) is exact to 1e-7, and the same bits everywhere.
///
/// Where no token is left, those asked for are absent and there is no best. Empty where a call would end for
/// another reason: `row_too_long`, `out_of_memory`, and what the law looks at: `invalid_bias`,
/// `invalid_temperature`. The entries live in the workspace until the next call on it, in 12 bytes each
/// beside what a row needs.
///
/// Cost: reading the row, a pass of masses, for each of up to 256 asked tokens a look at the blocks that
/// reach it, for more of them a sort, and the ranking of the best; `edited` and `final_law` what the chain
/// costs besides, with the cuts as `select` finds them.
SLUICE_ALWAYS_INLINE std::span<const token_logprob> logprobs(const standard_chain& chain, logits_view logits,
                                                             sluice::sequence& sequence,
                                                             const logprob_request& request,
                                                             const call_options& options = {}) noexcept {
  const detail::standard_plan& made = detail::chain_access::plan_of(chain);
  return detail::find_logprobs(detail::planned(made.plan, made.stages), logits, sequence, request, options);
}

/// The same for a chain by hand. A draw stage of one's own is not looked at: its law is taken for that of
/// `gumbel`.
template <detail::stage_order_rule Order, class... Stages>
SLUICE_ALWAYS_INLINE std::span<const token_logprob> logprobs(const detail::staged<Order, Stages...>& chain,
                                                             logits_view logits, sluice::sequence& sequence,
                                                             const logprob_request& request,
                                                             const call_options& options = {}) noexcept {
  return detail::find_logprobs(detail::chain_access::planned_of(chain), logits, sequence, request, options);
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
