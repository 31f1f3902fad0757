#pragma once

// The one loop that runs every chain, and how a chain is called.

#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/api.hpp>
#include <sluice/chain/distribution.hpp>
#include <sluice/chain/fp_mode.hpp>
#include <sluice/chain/plan.hpp>
#include <sluice/draw/log_law.hpp>
#include <sluice/draw/nucleus.hpp>
#include <sluice/row/members.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/workspace.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail {
inline namespace SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// What a call wants of the chain: the token alone, or the survivors that the draw would see.
enum class wanted : std::uint8_t { token, survivors };

/// Top-p (with top-k, min-p), temperature and draw in one.
inline token_id draw_from_nucleus(const plan& p, row& r, sequence& q) noexcept {
  const double t = p.rejects_tempered
                       ? double(row_internals::temperature_of(r, float(p.rejected_temperature)))
                       : p.rejected_temperature;
  if (p.draw == draw_method::gumbel)
    return kernel::id_of(draw::from_nucleus(r, {q.seed(), q.position()}, p.rejected, t).winner);
  draw::keep_nucleus_by_test(r, p.rejected);
  r.set_temperature(t);
  return softmax{}(r, q);
}

/// Takes the call's temperature. Whether the best token is the answer, whatever the filters.
inline bool take_temperature(const plan& p, row& r, const call_options& call) noexcept {
  const kernel::any_float t = call.temperature.value_or(1.0f);
  if (kernel::is_nan(t) || kernel::is_infinite(t)) r.fail(sample_status::invalid_temperature);
  if (!call.temperature || !p.tempers) return p.greedy || p.cold;
  row_internals::set_temperature_of_call(r, call.temperature);
  return p.greedy || (p.freezes && *call.temperature < coldest);
}

/// Every stage in turn, then (for a token) the draw.
inline token_id run(const planned& chain, row& r, sequence& q, const call_options& call,
                    wanted what) noexcept {
  const plan& p = chain.plan;
  std::size_t i = 0;
  for (; i < p.before_biases; ++i) chain.code.run[p.steps[i].stage](chain.stages, r, q);
  if (!p.adds_bias) detail::row_internals::add_biases(r, {});
  const bool greedy = take_temperature(p, r, call), own_temperature = call.temperature && p.tempers;
  // Whoever asks what was kept needs the survivors in the row.
  const bool token_alone = what == wanted::token && call.record == nullptr;
  // A tail that a call makes cold keeps the best token where its temperature stands.
  const bool rejects = token_alone && !(own_temperature && *call.temperature < coldest);
  for (; i < p.steps.size(); ++i) {
    if (r.status() != sample_status::ok || r.empty()) break;
    const plan_step step = p.steps[i];
    if ((greedy && step.kind != stage_kind::edit) || (step.idle && !own_temperature)) continue;
    detail::row_internals::apply_temperature(r);
    if (i == p.rejects_from && rejects) return draw_from_nucleus(p, r, q);
    if (step.stage == plan_step::joint) {
      cut::keep_nucleus(r, p.joint);
    } else {
      chain.code.run[step.stage](chain.stages, r, q);
    }
  }
  if (r.status() == sample_status::ok && r.empty()) r.fail(sample_status::no_token_left);
  if (r.status() != sample_status::ok) return no_token;
  const bool feedback = p.feedback != plan_step::joint;
  if (greedy && !feedback && token_alone) return r.argmax();
  if (greedy) r.keep_top(1);
  if (feedback) chain.code.run[p.feedback](chain.stages, r, q);
  if (what == wanted::survivors) return no_token;
  if (p.draws_by_own_stage) return chain.code.draw(chain.stages, r, q);
  const token_id token = p.draw == draw_method::gumbel ? gumbel{}(r, q) : softmax{}(r, q);
  if (feedback && token != no_token && !chain.code.settle[p.feedback](chain.stages, r, q, token))
    r.fail(sample_status::out_of_memory);
  return token;
}

/// The survivors, and ln p of one of them; of the row as `run` leaves it.
SLUICE_NEVER_INLINE void note(row& r, draw_method method, token_id token, sample_record& out) noexcept {
  const draw::log_law law(r, method);
  out.kept_count = 0;
  r.each([&](token_id id, float logit) {
    if (out.kept_count < out.kept.size()) out.kept[out.kept_count] = id;
    ++out.kept_count;
    if (id == token) out.logprob = law.of(id, logit);
  });
}

SLUICE_NEVER_INLINE sample_result sample_exactly(const planned& chain, const logits_view& logits, sequence& q,
                                                 const call_options& call, workspace& memory) noexcept {
  detail::forget_draw(sequence_access::of(q));
  row r(logits, call, memory, chain.plan.cuts_by);
  if (call.record != nullptr) *call.record = {.kept = call.record->kept};
  const token_id token = r.status() == sample_status::ok ? run(chain, r, q, call, wanted::token) : no_token;
  if (token == no_token && r.status() == sample_status::ok) r.fail(sample_status::no_token_left);
  if (call.record != nullptr && r.status() == sample_status::ok)
    note(r, chain.plan.draw, token, *call.record);
  return {r.status() == sample_status::ok ? token : no_token, r.status(), r.saw_nan()};
}

SLUICE_NEVER_INLINE std::span<const candidate> distribution_exactly(const planned& chain,
                                                                    const logits_view& logits, sequence& q,
                                                                    const call_options& call,
                                                                    workspace& memory) noexcept {
  row r(logits, call, memory, chain.plan.cuts_by);
  if (r.status() == sample_status::ok) run(chain, r, q, call, wanted::survivors);
  if (r.status() != sample_status::ok) return {};
  return draw::law_of(r, chain.plan.draw);
}

SLUICE_IEEE_END

inline workspace& memory_of(workspace* named) noexcept {
  return named != nullptr ? *named : thread_workspace();
}

SLUICE_NEVER_INLINE sample_result sample(const planned& chain, const logits_view& logits, sequence& q,
                                         const call_options& call) noexcept {
  const exact_arithmetic arithmetic;
  return sample_exactly(chain, logits, q, call, memory_of(call.workspace));
}

SLUICE_NEVER_INLINE std::span<const candidate> distribution(const planned& chain, const logits_view& logits,
                                                            sequence& q, const call_options& call) noexcept {
  const exact_arithmetic arithmetic;
  return distribution_exactly(chain, logits, q, call, memory_of(call.workspace));
}

SLUICE_NEVER_INLINE bool prepare(const planned& chain, sequence& q, std::size_t vocab_size,
                                 workspace* named) noexcept {
  const exact_arithmetic arithmetic;
  workspace& memory = memory_of(named);
  const std::size_t blocks = (vocab_size + detail::block_size - 1) / detail::block_size;
  bool ready = workspace_access::row_memory(memory, row_blocks::bytes(vocab_size, blocks, 0)) != nullptr;
  for (const plan_step step : chain.plan.steps)
    if (step.stage != plan_step::joint)
      ready = ready && chain.code.prepare[step.stage](chain.stages, q, memory, vocab_size);
  if (chain.plan.feedback != plan_step::joint)
    ready = ready && detail::prepare_feedback(sequence_access::of(q));
  return ready;
}

}  // namespace SLUICE_ISA
}  // namespace sluice::inline v1::detail

#include <sluice/macros_back.inc>
