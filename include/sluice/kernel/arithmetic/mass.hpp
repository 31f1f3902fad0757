#pragma once

#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/kernel/arithmetic/one_lane.hpp>
#include <sluice/kernel/arithmetic/rounding.hpp>

#include <sluice/macros_off.inc>

// The mass of a token: its probability over that of the maximum, as an integer, so that sums are exact in any
// order.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

namespace scalar {
#include <sluice/kernel/arithmetic/exp2.inc>
}

inline constexpr int mass_bits = 44;
inline constexpr double mass_one = 0x1p44;  ///< the mass of the maximum
inline constexpr double mass_reach = 31.2;  ///< nats below the maximum where every mass is 0
/// A power of two whose mass is 0. What lies deeper counts as if it stood here.
inline constexpr double mass_lowest_power = -64;

/// 2^exponent * (1 + fraction).
struct power_of_two {
  std::int64_t exponent;
  double fraction;
};

/// 2^t, the fraction within 2^-31.8 relative, for |t| < 2^50.
inline power_of_two split_exp2(double t) noexcept {
  const double k = (t + round_double) - round_double;
  const double f = t - k;
  return {std::int64_t(k), f * scalar::exp2_quotient(f)};
}

/// round(2^44 * factor * e^x) for x <= 0 and 0 <= factor <= 1; the exponential within 2^-33 relative. 0 for
/// NaN.
inline std::uint64_t mass(double x, double factor = 1) noexcept {
  if (!(x >= -mass_reach)) return 0;
  const power_of_two e = split_exp2(x * log2_e);
  const double exact = scale(1.0 + e.fraction, e.exponent + mass_bits) * factor;
  return std::uint64_t(std::int64_t((exact + round_double) - round_double));
}

/// A mass m, and m log2(e^x).
struct weighted_mass {
  std::uint64_t mass;
  double weighted;
};
inline weighted_mass mass_and_weighted(double x) noexcept {
  const double t = x * log2_e > mass_lowest_power ? x * log2_e : mass_lowest_power;
  const std::uint64_t m = mass(x);
  return {m, double(m) * t};
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
