#pragma once

#include <limits>

#include <sluice/config.hpp>
#include <sluice/kernel/rank.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

/// A double rounded to float, held within the finite floats.
inline float saturated(double value) noexcept {
  constexpr double limit = std::numeric_limits<float>::max();
  return value >= limit ? float(limit) : value <= -limit ? float(-limit) : float(value);
}

/// The largest float that is not above a double; the lowest where there is none.
inline float at_most(double value) noexcept {
  const float rounded = saturated(value);
  if (double(rounded) <= value || rounded == std::numeric_limits<float>::lowest()) return rounded;
  return -next_up(-rounded);
}

/// The sum of two biases: -inf beats +inf, finite sums stay finite.
inline any_float joined_bias(const float& a, const float& b) noexcept {
  if (is_infinite(a)) return a < 0 || !is_infinite(b) ? a : b;
  if (is_infinite(b)) return b;
  return saturated(double(a + 0.0f) + double(b));
}

SLUICE_IEEE_END

}  // namespace sluice::v1::SLUICE_ISA::kernel
