#pragma once

// Starting points: the defaults of known systems, and mixtures of the scatter stage.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/config.hpp>
#include <sluice/params.hpp>
#include <sluice/stage/text.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail {

struct scatter_preset {
  std::string_view name;
  float strength = 0, radius = 2.5f;
  bool adaptive = false;
  float absorption = 0, collision = 1;
};

inline constexpr scatter_preset scatter_presets[] = {
    {.name = "subtle", .strength = 0.12f, .radius = 2.0f},
    {.name = "creative", .strength = 0.18f},
    {.name = "adaptive", .strength = 0.14f, .adaptive = true},
    {.name = "gated", .strength = 0.30f, .collision = 0.25f},
    {.name = "adaptive_absorbing", .strength = 0.14f, .adaptive = true, .absorption = 0.06f},
};

inline namespace SLUICE_ISA {

inline problem set_scatter(sampling_params& params, std::string_view name) {
  for (const scatter_preset& preset : scatter_presets) {
    if (!same_name(name, preset.name)) continue;
    params.scatter_strength = preset.strength;
    params.scatter_radius = preset.radius;
    params.scatter_adaptive = preset.adaptive;
    params.scatter_absorption = preset.absorption;
    params.scatter_collision = preset.collision;
    // The others are as the struct has them, so that no earlier choice shows through.
    const sampling_params neutral;
    params.scatter_k = neutral.scatter_k;
    params.scatter_steps = neutral.scatter_steps;
    params.scatter_strength_min = neutral.scatter_strength_min;
    params.scatter_strength_max = neutral.scatter_strength_max;
    params.scatter_entropy_target = neutral.scatter_entropy_target;
    params.scatter_absorption_last_n = neutral.scatter_absorption_last_n;
    return {};
  }
  sentence s("name");
  s << " must be one of ";
  std::string_view comma = "";
  for (const scatter_preset& preset : scatter_presets) {
    s << comma << preset.name;
    comma = ", ";
  }
  return (s << ", got ").quote(name);
}

}  // namespace SLUICE_ISA
}  // namespace detail

namespace presets {

SLUICE_ALWAYS_INLINE sampling_params cli() { return {.temperature = 0}; }

SLUICE_ALWAYS_INLINE sampling_params server(std::vector<std::vector<token_id>> breakers) {
  return {.temperature = 0.8f,
          .top_k = 40,
          .top_p = 0.9f,
          .min_p = 0.1f,
          .dry_penalty_last_n = 64,
          .dry_sequence_breakers = std::move(breakers)};
}

SLUICE_ALWAYS_INLINE sampling_params run(std::vector<std::vector<token_id>> breakers) {
  return server(std::move(breakers));
}

SLUICE_ALWAYS_INLINE sampling_params llama_server() {
  return {.temperature = 0.8f, .top_k = 40, .top_p = 0.95f, .min_p = 0.05f, .penalty_last_n = 64};
}

SLUICE_ALWAYS_INLINE problem scatter(sampling_params& params, std::string_view name) {
  return detail::set_scatter(params, name);
}

}  // namespace presets
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
