#include "engine.hpp"

#include <sluice/sluice.hpp>

engine::engine(std::uint64_t seed) : sampler(sluice::sampling_params{.seed = seed}) {}

sluice::token_id engine::step(std::span<const float> logits) { return sampler.next(logits).token; }

std::uint64_t engine::position() const { return sampler.sequence.position(); }
