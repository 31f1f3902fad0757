#pragma once

#include <llama.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include <sluice/adapter/llama_cpp/candidates.hpp>
#include <sluice/sluice.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::llama {

/// What a sampler leaves in the array of candidates beside `selected`. `untouched`: nothing is written.
/// `survivors`: the tokens that could have been drawn, best first, `p` their probabilities and `logit` the
/// logarithm of `p`, so that a draw by a later sampler has the same law; costs the chain a second time.
enum class leaves : std::uint8_t { untouched, survivors };

namespace detail {
inline namespace SLUICE_ISA {

/// The state behind a llama_sampler of make_sampler.
struct sampler_state {
  sluice::standard_chain chain;
  sluice::sequence sequence;
  leaves left;
  candidate_row row = {};

  static sampler_state& of(const llama_sampler* sampler) noexcept {
    return *static_cast<sampler_state*>(sampler->ctx);
  }
};

inline std::uint64_t seed_of(const standard_chain& chain) {
  return chain.params().seed.has_value() ? *chain.params().seed : random_seed();
}

inline const char* sampler_name(const llama_sampler*) { return "sluice"; }

inline void sampler_accept(llama_sampler* sampler, llama_token token) {
  sampler_state::of(sampler).sequence.accept(token);
}

inline void sampler_apply(llama_sampler* sampler, llama_token_data_array* array) {
  sampler_state& state = sampler_state::of(sampler);
  array->selected = -1;
  if (!state.row.read(*array)) return;
  const logits_view& row = state.row.view();
  const sample_result drawn = state.chain.sample(row, state.sequence);
  if (!drawn) return;
  if (state.left == leaves::untouched) {
    array->selected = place_of(drawn.token, row);
    return;
  }
  const std::span<const candidate> survivors = state.chain.distribution(row, state.sequence);
  write(*array, survivors, [](const candidate& c) -> kernel::any_float {
    if (c.probability > 0) return float(kernel::ln(double(c.probability)));
    return kernel::infinite(-1);
  });
  while (array->data[++array->selected].id != drawn.token) {
  }
}

inline void sampler_reset(llama_sampler* sampler) {
  sampler_state& state = sampler_state::of(sampler);
  state.sequence = sluice::sequence(seed_of(state.chain));
}

inline void sampler_free(llama_sampler* sampler) { delete &sampler_state::of(sampler); }

inline llama_sampler* sampler_clone(const llama_sampler* sampler);

constexpr llama_sampler_i sampler_functions() {
  llama_sampler_i functions{};  // what a newer llama.h adds stays null
  functions.name = sampler_name;
  functions.accept = sampler_accept;
  functions.apply = sampler_apply;
  functions.reset = sampler_reset;
  functions.clone = sampler_clone;
  functions.free = sampler_free;
  return functions;
}

inline constinit llama_sampler_i sampler_interface = sampler_functions();

inline llama_sampler* sampler_clone(const llama_sampler* sampler) {
  const sampler_state& state = sampler_state::of(sampler);
  return new_sampler(&sampler_interface, new sampler_state{state.chain, state.sequence, state.left});
}

inline bool is_ours(const llama_sampler* sampler) noexcept {
  return sampler != nullptr && sampler->iface == &sampler_interface;
}

/// The logits of an output of the context, as they lie; empty where there are none.
template <class Context>
logits_view logits_of(Context* context, std::int32_t index) noexcept {
  const float* const logits = llama_get_logits_ith(context, index);
  if (logits == nullptr) return {};
  const auto* const model = llama_get_model(context);
  if constexpr (requires { llama_vocab_n_tokens(llama_model_get_vocab(model)); }) {
    return {logits, std::size_t(llama_vocab_n_tokens(llama_model_get_vocab(model)))};
  } else {
    return {logits, std::size_t(llama_n_vocab(model))};
  }
}

}  // namespace SLUICE_ISA
}  // namespace detail

/// A llama_sampler that does the whole work: edits, filters, temperature and draw. Alone, or the last of a
/// llama_sampler_chain; samplers before it (a grammar, say) hand it their candidates, in any order, and what
/// they set to -inf or removed is absent. llama_sampler_free frees it.
///
/// `apply` sets `selected` to the place of the token drawn, or to -1 where no token is left (all -inf or NaN)
/// or an id is 2^20 or more; llama_sampler_sample aborts on that. It draws the same again until a token is
/// accepted. `accept` adds to the history, prompt and answer alike. `reset` forgets the history and begins
/// with the seed again, a new one where params.seed is empty. A clone goes on as the original would.
///
/// Throws std::invalid_argument with the text of `check` (without exceptions: prints it and aborts). The
/// scratch memory is the thread's own; an array is copied once, and nothing allocates in steady state.
SLUICE_ALWAYS_INLINE llama_sampler* make_sampler(sampling_params params, leaves left = leaves::untouched) {
  sluice::standard_chain chain(std::move(params));
  sluice::sequence sequence(detail::seed_of(chain));
  return detail::new_sampler(&detail::sampler_interface,
                             new detail::sampler_state{std::move(chain), std::move(sequence), left});
}

/// The sequence of a sampler of make_sampler, to rewind it, reserve memory or give it a prompt; null for
/// other samplers. Lives as long as the sampler, and a reset begins it anew.
SLUICE_ALWAYS_INLINE sluice::sequence* sequence_of(llama_sampler* sampler) noexcept {
  return detail::is_ours(sampler) ? &detail::sampler_state::of(sampler).sequence : nullptr;
}

/// Draws from the logits of output `index` (as in llama_get_logits_ith) and accepts the token. Reads the
/// logits where they lie.
SLUICE_ALWAYS_INLINE sample_result sample(llama_context* context, std::int32_t index,
                                          sluice::sampler& sampler, const call_options& options = {}) {
  return sampler.next(detail::logits_of(context, index), options);
}

/// In place of llama_sampler_sample: of a sampler of make_sampler the token is drawn from the raw logits and
/// accepted, LLAMA_TOKEN_NULL where there is none; every other sampler is left to llama_sampler_sample.
SLUICE_ALWAYS_INLINE llama_token sample(llama_context* context, std::int32_t index, llama_sampler* sampler) {
  if (!detail::is_ours(sampler)) return llama_sampler_sample(sampler, context, index);
  detail::sampler_state& state = detail::sampler_state::of(sampler);
  const sample_result drawn = state.chain.sample(detail::logits_of(context, index), state.sequence);
  if (drawn) state.sequence.accept(drawn.token);
  return drawn.token;
}

}  // namespace sluice::inline v1::llama

#include <sluice/macros_back.inc>
