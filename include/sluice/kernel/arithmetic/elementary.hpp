#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/one_lane.hpp>
#include <sluice/kernel/arithmetic/rounding.hpp>

#include <sluice/macros_off.inc>

// Elementary functions with the same bits on every machine: +, -, *, / and integer operations only, no fused
// multiply-add, no library call.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

namespace scalar {
#include <sluice/kernel/arithmetic/ln.inc>
}
using scalar::ln_normal;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline constexpr double log2_e = 0x1.71547652b82fep+0, ln_2 = 0x1.62e42fefa39efp-1;

/// ln(x) for x >= 0: -inf at 0, +inf at +inf. At most 1 ulp.
inline double ln(double x) noexcept {
  if (!(x > 0)) return -infinity;
  if (x > std::numeric_limits<double>::max()) return infinity;
  constexpr double two54 = 0x1p54;
  if (x < std::numeric_limits<double>::min()) return ln_normal(x * two54) - 54 * 0x1.62e42fefa39efp-1;
  return ln_normal(x);
}

/// ln(1 + x) for x > -1, within 3 ulp: the rounding of 1 + x is divided out again.
inline double ln_1p(double x) noexcept {
  const double y = 1.0 + x;
  const double rounded = y - 1.0;
  return rounded == 0 ? x : ln(y) * (x / rounded);
}

/// x * 2^k for a normal x, |k| < 1022, where the result is normal too.
inline double scale(double x, std::int64_t k) noexcept {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + (std::uint64_t(k) << 52));
}

/// e^x within 2 ulp; 0 below -708, +inf above 709.
inline double exp(double x) noexcept {
  if (!(x >= -708)) return 0;
  if (x > 709) return infinity;
  const double k = (x * log2_e + round_double) - round_double;
  const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;  // |r| <= ln(2) / 2
  double p = 1.0 / 6227020800.0;  // the Taylor series up to r^13: remainder below 2^-57
  for (const double factorial :
       {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0})
    p = p * r + 1.0 / factorial;
  return scale(1.0 + r * p, std::int64_t(k));
}

/// The root of a variance; 0 where rounding made it negative.
inline double square_root(double x) noexcept { return x > 0 ? __builtin_sqrt(x) : 0; }

/// base^exponent for base >= 0.
inline double power(double base, double exponent) noexcept {
  if (exponent == 0) return 1;
  return base > 0 ? exp(exponent * ln(base)) : 0;
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
