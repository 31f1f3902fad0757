#pragma once

// The one table of the fields of sampling_params: name, member, range. `check` and `set` are both made from
// it.

#include <cfloat>
#include <climits>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sluice/config.hpp>
#include <sluice/params.hpp>
#include <sluice/types.hpp>

namespace sluice::inline v1 {
namespace detail {
inline namespace SLUICE_ISA {

enum class bound : std::uint8_t { closed, open };

/// The default is every finite number: an infinity is beyond FLT_MAX.
struct real_range {
  float low = -FLT_MAX, high = FLT_MAX;
  bound low_end = bound::closed, high_end = bound::closed;
};

struct integer_range {
  int low = INT_MIN, high = INT_MAX;
};

/// An enum field seen as the index of its name.
struct choice {
  std::span<const std::string_view> names = {};
  std::uint8_t (*get)(const sampling_params&) = nullptr;
  void (*put)(sampling_params&, std::uint8_t) = nullptr;
};

template <auto Member>
constexpr choice choice_of(std::span<const std::string_view> names) {
  return {.names = names,
          .get = [](const sampling_params& params) { return static_cast<std::uint8_t>(params.*Member); },
          .put =
              [](sampling_params& params, std::uint8_t index) {
                using type = std::remove_reference_t<decltype(params.*Member)>;
                params.*Member = static_cast<type>(index);
              }};
}

/// A row of the table. Exactly one of the members is set; it tells the type.
struct field {
  using P = sampling_params;

  std::string_view name;
  float P::*real = nullptr;
  real_range reals = {};
  int P::*integer = nullptr;
  integer_range integers = {};
  bool P::*flag = nullptr;
  std::vector<token_id> P::*tokens = nullptr;
  std::vector<token_bias> P::*biases = nullptr;
  std::vector<std::vector<token_id>> P::*breakers = nullptr;
  std::optional<std::uint64_t> P::*seed = nullptr;
  std::string P::*order = nullptr;
  choice choices = {};

  constexpr field(std::string_view n, float P::*m, real_range r = {}) : name(n), real(m), reals(r) {}
  constexpr field(std::string_view n, int P::*m, integer_range r = {}) : name(n), integer(m), integers(r) {}
  constexpr field(std::string_view n, bool P::*m) : name(n), flag(m) {}
  constexpr field(std::string_view n, std::vector<token_id> P::*m) : name(n), tokens(m) {}
  constexpr field(std::string_view n, std::vector<token_bias> P::*m) : name(n), biases(m) {}
  constexpr field(std::string_view n, std::vector<std::vector<token_id>> P::*m) : name(n), breakers(m) {}
  constexpr field(std::string_view n, std::optional<std::uint64_t> P::*m) : name(n), seed(m) {}
  constexpr field(std::string_view n, std::string P::*m) : name(n), order(m) {}
  constexpr field(std::string_view n, choice c) : name(n), choices(c) {}
};

inline constexpr std::string_view truncation_names[] = {"sequential", "joint"};
inline constexpr std::string_view engine_names[] = {"automatic", "sort", "select", "rejection"};
inline constexpr std::string_view draw_names[] = {"gumbel", "softmax"};

inline constexpr real_range unit_interval = {.low = 0, .high = 1};
inline constexpr real_range above_zero = {.low = 0, .low_end = bound::open};
inline constexpr integer_range from_zero = {.low = 0};
inline constexpr integer_range any_window = {.low = -1};

inline constexpr field fields[] = {
    {"seed", &sampling_params::seed},
    {"order", &sampling_params::order},
    {"temperature", &sampling_params::temperature},
    {"dynatemp_range", &sampling_params::dynatemp_range},
    {"dynatemp_exponent", &sampling_params::dynatemp_exponent, above_zero},
    {"top_k", &sampling_params::top_k},
    {"min_keep", &sampling_params::min_keep, from_zero},
    {"top_p", &sampling_params::top_p, unit_interval},
    {"min_p", &sampling_params::min_p, unit_interval},
    {"typical_p", &sampling_params::typical_p, real_range{.low = 0, .high = 1, .low_end = bound::open}},
    {"top_n_sigma", &sampling_params::top_n_sigma},
    {"p_less", &sampling_params::p_less},
    {"xtc_probability", &sampling_params::xtc_probability, unit_interval},
    {"xtc_threshold", &sampling_params::xtc_threshold, unit_interval},
    {"xtc_marginal", &sampling_params::xtc_marginal},
    {"xtc_protected", &sampling_params::xtc_protected},
    {"repetition_penalty", &sampling_params::repetition_penalty, above_zero},
    {"frequency_penalty", &sampling_params::frequency_penalty},
    {"presence_penalty", &sampling_params::presence_penalty},
    {"penalty_last_n", &sampling_params::penalty_last_n, any_window},
    {"repetition_normalized", &sampling_params::repetition_normalized},
    {"occurrence_counts_prompt", &sampling_params::occurrence_counts_prompt},
    {"dry_multiplier", &sampling_params::dry_multiplier},
    {"dry_base", &sampling_params::dry_base},
    {"dry_allowed_length", &sampling_params::dry_allowed_length, from_zero},
    {"dry_penalty_last_n", &sampling_params::dry_penalty_last_n, any_window},
    {"dry_sequence_breakers", &sampling_params::dry_sequence_breakers},
    {"scatter_strength", &sampling_params::scatter_strength, unit_interval},
    {"scatter_radius", &sampling_params::scatter_radius},
    {"scatter_k", &sampling_params::scatter_k, integer_range{.high = 1024}},
    {"scatter_steps", &sampling_params::scatter_steps, integer_range{.high = 64}},
    {"scatter_adaptive", &sampling_params::scatter_adaptive},
    {"scatter_strength_min", &sampling_params::scatter_strength_min, unit_interval},
    {"scatter_strength_max", &sampling_params::scatter_strength_max, unit_interval},
    {"scatter_entropy_target", &sampling_params::scatter_entropy_target,
     real_range{.low = 0, .high = 1, .low_end = bound::open, .high_end = bound::open}},
    {"scatter_absorption", &sampling_params::scatter_absorption, real_range{.low = 0}},
    {"scatter_collision", &sampling_params::scatter_collision, unit_interval},
    {"scatter_absorption_last_n", &sampling_params::scatter_absorption_last_n, any_window},
    {"logit_bias", &sampling_params::logit_bias},
    {"language_bias", &sampling_params::language_bias},
    {"suppressed_tokens", &sampling_params::suppressed_tokens},
    {"truncation", choice_of<&sampling_params::truncation>(truncation_names)},
    {"engine", choice_of<&sampling_params::engine>(engine_names)},
    {"draw", choice_of<&sampling_params::draw>(draw_names)},
};

constexpr const field* find_field(std::string_view name) noexcept {
  for (const field& f : fields)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1
