#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <sluice/api.hpp>
#include <sluice/chain/standard_chain.hpp>
#include <sluice/random/seed.hpp>
#include <sluice/sequence_bodies.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_ALWAYS_INLINE sampler::sampler(sampling_params params)
    : chain(std::move(params)),
      sequence(chain.params().seed.has_value() ? *chain.params().seed : random_seed()) {}

SLUICE_ALWAYS_INLINE sample_result sampler::next(logits_view logits, const call_options& options) {
  const sample_result drawn = chain.sample(logits, sequence, options);
  if (drawn) sequence.accept(drawn.token);
  return drawn;
}

SLUICE_ALWAYS_INLINE sample_result sampler::sample(logits_view logits, const call_options& options) noexcept {
  return chain.sample(logits, sequence, options);
}

SLUICE_ALWAYS_INLINE std::span<const candidate> sampler::distribution(logits_view logits,
                                                                      const call_options& options) noexcept {
  return chain.distribution(logits, sequence, options);
}

SLUICE_ALWAYS_INLINE void sampler::accept(token_id token) { sequence.accept(token); }
SLUICE_ALWAYS_INLINE void sampler::accept(std::span<const token_id> tokens) { sequence.accept(tokens); }
SLUICE_ALWAYS_INLINE void sampler::accept(std::span<const std::int64_t> tokens) { sequence.accept(tokens); }
SLUICE_ALWAYS_INLINE void sampler::accept_prompt(std::span<const token_id> tokens) {
  sequence.accept_prompt(tokens);
}
SLUICE_ALWAYS_INLINE void sampler::rewind(std::size_t tokens) noexcept { sequence.rewind(tokens); }

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
