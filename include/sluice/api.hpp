#pragma once

// sluice draws the next token of a language model from a row of logits: biases and penalties, then filters,
// then the draw. Exact and reproducible: a seed, a position, parameters and logits give one token, on every
// machine, in every build and on any number of threads.
//
//     sluice::sampling_params params;                  // every stage off
//     params.temperature = 0.8f;
//     params.top_p = 0.95f;
//     params.seed = 42;
//
//     sluice::sampler sampler(params);                 // throws where a parameter is out of its range
//     sampler.accept_prompt(prompt);
//     while (more) {
//       std::span<const float> logits = model.forward();
//       sluice::sample_result next = sampler.next(logits);   // draws a token and accepts it
//       if (!next) break;                                    // next.status says why
//     }
//
//   noun        is                                           lifetime and threads
//   chain       what is done: stages and their parameters    immutable; one serves any number of requests, on
//                                                            all threads at once
//   sequence    for whom: seed, position, tokens             one a generation, a value; one thread at a time
//   workspace   scratch memory                               one a thread; grows once, then nothing allocates
//
// A `sampler` is a chain with a sequence. The workspace is the thread's own where a call names none.
//
// Rows are `logits_view`s: dense or sparse, f32, f16 or bf16, seen where they lie and never written. Only
// constructors refuse, by std::invalid_argument; without exceptions they print and abort, so `check` first.
// `accept`, `reserve` and copies may throw std::bad_alloc. A call that samples never throws: what went wrong
// is its status.
//
// This header is the contract: declarations and layouts, cheap to include where an engine's own types hold
// samplers. The file that calls them includes <sluice/sluice.hpp>. SLUICE_ALWAYS_INLINE keeps files apart
// that are compiled with other flags (config.hpp).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <sluice/config.hpp>
#include <sluice/fwd.hpp>
#include <sluice/history/storage.hpp>
#include <sluice/logits_view.hpp>
#include <sluice/memory.hpp>
#include <sluice/params.hpp>
#include <sluice/sequence.hpp>
#include <sluice/token_mask.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail {
struct workspace_access;
struct chain_access;
}

/// Scratch memory for one call at a time: at most 24 bytes a vocabulary entry (and 4,352 where there are
/// fewer than 4,096), for DRY at most 17 more a token that the sequence has room for. It grows to the largest
/// row that it has seen, and stays. It may be moved; what a call returned in it lives until the next call.
/// The thread_local one, which is the default, must not be used from the destructors of static objects.
class workspace {
 public:
  SLUICE_ALWAYS_INLINE workspace() noexcept = default;
  SLUICE_ALWAYS_INLINE workspace(workspace&&) noexcept = default;
  SLUICE_ALWAYS_INLINE workspace& operator=(workspace&&) noexcept = default;
  SLUICE_ALWAYS_INLINE ~workspace() = default;

  /// The memory that it holds.
  SLUICE_ALWAYS_INLINE std::size_t bytes() const noexcept;

 private:
  friend detail::workspace_access;
  detail::buffer row_;
  detail::repeat_scratch repeats_;
};

/// What a call may note of its draw, in the caller's memory. Where it draws no token nothing was kept and
/// `logprob` is 0.
struct sample_record {
  std::span<token_id> kept = {};  ///< filled with the survivors, in ascending order, as many as fit
  std::size_t kept_count = 0;     ///< how many there were
  float logprob = 0;              ///< ln of the drawn token's probability, of the law that it was drawn from
};

/// What one call adds to the chain. The default adds nothing.
struct call_options {
  /// The tokens that this step allows; empty: all. Masked tokens count in no stage, as if they were not
  /// there.
  token_mask mask = {};

  /// Added to logits before every stage, after the request's own biases. An id that is named twice adds up in
  /// written order; -inf bans, +inf forces, and -inf beats +inf. Ids outside [0, V) are ignored. NaN:
  /// `sample_status::invalid_bias`.
  std::span<const token_bias> bias = {};

  /// Scratch memory in place of the thread's own; no other call may use it meanwhile.
  sluice::workspace* workspace = nullptr;

  /// To be told what each stage did. Not built yet: nothing reads it.
  sluice::trace* trace = nullptr;

  /// In place of the chain's temperature, in all that reads it; below 1e-5 is greedy. A chain without the
  /// stage, or whose order leaves it out, ignores it. Where it is not finite:
  /// `sample_status::invalid_temperature`.
  std::optional<float> temperature = {};

  /// To be told what was kept and how probable the token was. Not read by `distribution`.
  sample_record* record = nullptr;
};

/// The chain of `sampling_params`. Immutable. `chain` and `custom_chain`, which are made of stages by hand,
/// have the same members.
class standard_chain {
 public:
  /// Throws std::invalid_argument with the text of `check`, "top_p must be in [0, 1], got 1.5" (without
  /// exceptions: prints it and aborts). Cost: some microseconds and allocations; make one a request, or one
  /// for all requests of the same parameters.
  SLUICE_ALWAYS_INLINE explicit standard_chain(sampling_params params);

  /// A copy shares the plan and costs an atomic increment. One that was moved from may only be assigned to or
  /// destroyed.
  SLUICE_ALWAYS_INLINE standard_chain(const standard_chain&) noexcept = default;
  SLUICE_ALWAYS_INLINE standard_chain(standard_chain&&) noexcept = default;
  SLUICE_ALWAYS_INLINE standard_chain& operator=(const standard_chain&) noexcept = default;
  SLUICE_ALWAYS_INLINE standard_chain& operator=(standard_chain&&) noexcept = default;
  SLUICE_ALWAYS_INLINE ~standard_chain() = default;

  /// Draws a token for the sequence's seed and position, and accepts nothing: asked again it draws the same.
  ///
  /// Never throws. `status` is `ok` and `token` in [0, V); or there is no token and the status says why: the
  /// mask, bans and row left none, a bias or the temperature of this call is no number, the row is 2^20
  /// tokens or longer, memory ran out. NaN in the row counts as absent and is told by `saw_nan`; -inf is
  /// absent; +inf beats all others.
  ///
  /// Cost: about one read of the row for the usual chains. Allocates nothing once the workspace has the size
  /// of the row and the sequence is prepared, within what it has reserved.
  SLUICE_ALWAYS_INLINE sample_result sample(logits_view logits, sluice::sequence& sequence,
                                            const call_options& options = {}) const noexcept;

  /// The law that `sample` draws from at this position, its coins included: the survivors in rank order,
  /// `logit` as it stood before temperature, `probability` after. Greedy decoding leaves one token. Empty
  /// where `sample` gives no token. Lives in the workspace until the next call on it. Cost: the filters as
  /// `select` finds them, and the ranking of the survivors.
  SLUICE_ALWAYS_INLINE std::span<const candidate> distribution(
      logits_view logits, sluice::sequence& sequence, const call_options& options = {}) const noexcept;

  /// Grows the workspace for rows of `vocab_size` tokens and indexes the history, during prefill say;
  /// `sample` then allocates nothing. `memory`: null is the thread's own. False where memory ran out;
  /// sampling works all the same, if there is some by then. Cost: the tokens that no stage has read yet.
  SLUICE_ALWAYS_INLINE bool prepare(sluice::sequence& sequence, std::size_t vocab_size,
                                    workspace* memory = nullptr) const noexcept;

  /// What it was made of. Lives as long as the chain or a copy of it.
  SLUICE_ALWAYS_INLINE const sampling_params& params() const noexcept;

 private:
  friend detail::chain_access;
  detail::shared_plan plan_;
};

/// A chain and a sequence: one generation, in the fewest words. Both may be used by themselves. One thread at
/// a time.
struct sampler {
  standard_chain chain;
  sluice::sequence sequence;

  /// Throws as `standard_chain` does. The sequence gets `params.seed`, or a seed from the system.
  SLUICE_ALWAYS_INLINE explicit sampler(sampling_params params);

  /// A copy goes on with the same tokens; it may throw std::bad_alloc.
  SLUICE_ALWAYS_INLINE sampler(const sampler&) = default;
  SLUICE_ALWAYS_INLINE sampler(sampler&&) noexcept = default;
  SLUICE_ALWAYS_INLINE sampler& operator=(const sampler&) = default;
  SLUICE_ALWAYS_INLINE sampler& operator=(sampler&&) noexcept = default;
  SLUICE_ALWAYS_INLINE ~sampler() = default;

  /// Draws a token and accepts it; where there is none, nothing is accepted. May throw std::bad_alloc, when
  /// the sequence grows past what it has reserved; the same call then draws the same token.
  SLUICE_ALWAYS_INLINE sample_result next(logits_view logits, const call_options& options = {});

  // The members of the chain and of the sequence, for this pair.
  SLUICE_ALWAYS_INLINE sample_result sample(logits_view logits, const call_options& options = {}) noexcept;
  SLUICE_ALWAYS_INLINE std::span<const candidate> distribution(logits_view logits,
                                                               const call_options& options = {}) noexcept;
  SLUICE_ALWAYS_INLINE void accept(token_id token);
  SLUICE_ALWAYS_INLINE void accept(std::span<const token_id> tokens);
  SLUICE_ALWAYS_INLINE void accept(std::span<const std::int64_t> tokens);
  SLUICE_ALWAYS_INLINE void accept_prompt(std::span<const token_id> tokens);
  SLUICE_ALWAYS_INLINE void rewind(std::size_t tokens) noexcept;
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
