#pragma once

// The native functions of llama.cpp's scatter experiment, as a stage of an ordinary chain. A llama.h that
// declares them itself goes with llama_cpp/sampler.hpp and llama_cpp/params.hpp alone.

#include <llama.h>

#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <sluice/adapter/llama_cpp/candidates.hpp>
#include <sluice/chain/chain.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/random/seed.hpp>
#include <sluice/sequence.hpp>
#include <sluice/sluice.hpp>
#include <sluice/stage/scatter.hpp>
#include <sluice/stage/text.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::llama::detail {
inline namespace SLUICE_ISA {

/// The value in [low, high] that is nearest; NaN is `otherwise`.
inline float within(float value, float low, float high, float otherwise) noexcept {
  return sluice::detail::is_nan(value) ? otherwise : std::clamp(value, low, high);
}

/// The nearest stage that the library takes. Off stays off: what is <= 0 or NaN becomes 0.
inline scatter nearest(scatter s) noexcept {
  const scatter usual;
  s.strength = within(s.strength, 0, 1, 0);
  s.radius = within(s.radius, 0, FLT_MAX, 0);
  s.k = std::min(s.k, int(rank_diffusion::longest));
  s.steps = std::min(s.steps, 64);
  s.strength_min = within(s.strength_min, 0, 1, usual.strength_min);
  s.strength_max = std::max(s.strength_min, within(s.strength_max, 0, 1, usual.strength_max));
  s.entropy_target = within(s.entropy_target, 1e-6f, 1 - 1e-6f, usual.entropy_target);
  s.absorption = within(s.absorption, 0, FLT_MAX, 0);
  s.absorption_last_n = std::max(s.absorption_last_n, -1);
  s.collision = within(s.collision, 0, 1, 0);
  return s;
}

struct scatter_state {
  scatter stage;
  std::optional<std::uint32_t> seed;  ///< none: a random one
  custom_chain<scatter> chain;
  sluice::sequence sequence;
  candidate_row row = {};

  scatter_state(scatter s, std::optional<std::uint32_t> given)
      : stage(s), seed(given), chain(std::move(s)), sequence(first_seed()) {}

  std::uint64_t first_seed() const { return seed ? *seed : random_seed(); }
  static scatter_state& of(const llama_sampler* sampler) noexcept {
    return *static_cast<scatter_state*>(sampler->ctx);
  }
};

inline const char* scatter_name(const llama_sampler* sampler) {
  return scatter_state::of(sampler).stage.active() ? "scatter" : "?scatter";
}

inline void scatter_accept(llama_sampler* sampler, llama_token token) {
  scatter_state& state = scatter_state::of(sampler);
  if (state.stage.active()) state.sequence.accept(token);
}

inline void scatter_apply(llama_sampler* sampler, llama_token_data_array* array) {
  scatter_state& state = scatter_state::of(sampler);
  // The chain's answer is ranked, so the coin is looked at first: a miss leaves the array as it is.
  if (!state.stage.active() ||
      !random::coin({state.sequence.seed(), state.sequence.position()}, random::stream::scatter_gate,
                    double(state.stage.collision)) ||
      !state.row.read(*array))
    return;
  const std::span<const candidate> medium = state.chain.distribution(state.row.view(), state.sequence);
  if (!medium.empty()) write(*array, medium, [](const candidate& c) { return c.logit; });
}

inline void scatter_reset(llama_sampler* sampler) {
  scatter_state& state = scatter_state::of(sampler);
  state.sequence = sluice::sequence(state.first_seed());
}

inline void scatter_free(llama_sampler* sampler) { delete &scatter_state::of(sampler); }

inline llama_sampler* scatter_clone(const llama_sampler* sampler);

constexpr llama_sampler_i scatter_functions() {
  llama_sampler_i functions{};  // what a newer llama.h adds stays null
  functions.name = scatter_name;
  functions.accept = scatter_accept;
  functions.apply = scatter_apply;
  functions.reset = scatter_reset;
  functions.clone = scatter_clone;
  functions.free = scatter_free;
  return functions;
}

inline constinit llama_sampler_i scatter_interface = scatter_functions();

inline llama_sampler* make_scatter(const scatter& stage, std::uint32_t seed) {
  constexpr std::uint32_t random = 0xFFFFFFFF;  // LLAMA_DEFAULT_SEED
  return new_sampler(&scatter_interface,
                     new scatter_state(nearest(stage), seed == random ? std::nullopt : std::optional(seed)));
}

inline llama_sampler* scatter_clone(const llama_sampler* sampler) {
  const scatter_state& state = scatter_state::of(sampler);
  auto* const copy = new scatter_state(state.stage, state.seed);
  copy->sequence = state.sequence;
  return new_sampler(&scatter_interface, copy);
}

}  // namespace SLUICE_ISA
}  // namespace sluice::inline v1::llama::detail

/// Scatter with a fixed strength; what it does is told at sluice::scatter. The best k candidates stay,
/// ranked, with new logits. Never fails: strength, k, radius or steps <= 0 or NaN does nothing, nor does k =
/// 1; strength above 1 is 1, k above 1024 is 1024, steps above 64 are 64.
SLUICE_ALWAYS_INLINE llama_sampler* llama_sampler_init_scatter(std::int32_t k, float strength, float radius,
                                                               std::int32_t steps) {
  return sluice::llama::detail::make_scatter({.strength = strength, .radius = radius, .k = k, .steps = steps},
                                             0);
}

/// Scatter with everything it has: strength by the entropy of the candidates (`adaptive`), damping of tokens
/// of the last `absorption_last_n` accepted (-1: all of them, 0: off), and a coin a step that fires with
/// probability `collision`; a miss touches nothing. Does nothing unless strength > 0, adaptive or absorption
/// > 0, and k > 1, radius, steps and collision > 0. Never fails: the other values are taken to the nearest
/// that has a meaning, NaN to the default. Seed 0xFFFFFFFF is a random one. The coin is a function of the
/// seed and of how many tokens were accepted: llama_sampler_accept moves it on.
SLUICE_ALWAYS_INLINE llama_sampler* llama_sampler_init_scatter_ext(
    std::int32_t k, float strength, float radius, std::int32_t steps, bool adaptive, float strength_min,
    float strength_max, float entropy_target, float absorption, std::int32_t absorption_last_n,
    float collision, std::uint32_t seed) {
  return sluice::llama::detail::make_scatter({.strength = strength,
                                              .radius = radius,
                                              .k = k,
                                              .steps = steps,
                                              .adaptive = adaptive,
                                              .strength_min = strength_min,
                                              .strength_max = strength_max,
                                              .entropy_target = entropy_target,
                                              .absorption = absorption,
                                              .absorption_last_n = absorption_last_n,
                                              .collision = collision},
                                             seed);
}

#include <sluice/macros_back.inc>
