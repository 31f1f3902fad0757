#pragma once

// Switches by environment variables, for programs that ask for it.

#include <cstdlib>
#include <string_view>
#include <utility>

#include <sluice/params.hpp>
#include <sluice/params/set.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail::inline SLUICE_ISA {

inline constexpr std::pair<const char*, std::string_view> variables[] = {
    {"SLUICE_DRAW", "draw"}, {"SLUICE_ENGINE", "engine"}, {"SLUICE_TRUNCATION", "truncation"}};

SLUICE_COLD problem apply_variables(sampling_params& params) {
  sampling_params changed = params;
  for (const auto& [variable, field] : variables) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    if (const problem wrong = set_param(changed, field, value)) {
      sentence s(variable);
      return s << std::string_view(wrong.text).substr(field.size());
    }
  }
  params = std::move(changed);
  return {};
}

}  // namespace detail::inline SLUICE_ISA

SLUICE_ALWAYS_INLINE problem apply_environment(sampling_params& params) {
  return detail::apply_variables(params);
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
