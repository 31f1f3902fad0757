#pragma once

#include <bit>
#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/one_lane.hpp>
#include <sluice/kernel/arithmetic/rounding.hpp>

#include <sluice/macros_off.inc>

// Powers of two in float, for the collision probability: the sum of the squares of all probabilities.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

namespace scalar {
#include <sluice/kernel/arithmetic/exp2f.inc>
}

/// 2^exponent * (1 + fraction), in float.
struct float_power {
  std::int32_t exponent;
  float fraction;
};

/// 2^t, the fraction within 2^-22 relative, for |t| < 2^21.
inline float_power split_exp2f(float t) noexcept {
  const float shifted = t + round_float;
  const float f = t - (shifted - round_float);
  return {std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(round_float),
          f * scalar::exp2f_quotient(f)};
}

/// The exponent c (l - max) of a token. What lies deeper than the floor counts as if it stood there.
inline constexpr float collision_floor = -92;
inline float collision_exponent(float logit, float max, float c) noexcept {
  const float t = (logit - max) * c;
  return t > collision_floor ? t : collision_floor;
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
