#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <sluice/config.hpp>

// Elementary functions with the same bits on every machine: +, -, *, / and integer operations only, no fused
// multiply-add, no library call.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Adding and subtracting it rounds a double of magnitude below 2^51 to the nearest integer, ties to even.
inline constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52

inline constexpr double log2_e = 0x1.71547652b82fep+0;

/// ln(x) for a positive normal finite double; at most 1 ulp. Argument reduction and polynomial of fdlibm's
/// e_log.c, without its branches.
inline double ln_normal(double x) noexcept {
  constexpr std::uint64_t one = 0x3ff0000000000000u, half_sqrt = 0x3fe6a09c00000000u;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (one - half_sqrt);
  const double k = double(std::int64_t(shifted >> 52) - 1023);
  const double m = std::bit_cast<double>((shifted & 0x000fffffffffffffu) + half_sqrt);
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double h = 0.5 * f * f;
  const double z = s * s;
  const double w = z * z;
  const double even = w * (0x1.999999997fa04p-2 + w * (0x1.c71c51d8e78afp-3 + w * 0x1.39a09d078c69fp-3));
  const double odd = z * (0x1.5555555555593p-1 +
                          w * (0x1.2492494229359p-2 + w * (0x1.7466496cb03dep-3 + w * 0x1.2f112df3e5244p-3)));
  const double r = odd + even;
  constexpr double ln2_hi = 0x1.62e42feep-1, ln2_lo = 0x1.a39ef35793c76p-33;
  return k * ln2_hi - ((h - (s * (h + r) + k * ln2_lo)) - f);
}

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
  const double k = (x * log2_e + rounder) - rounder;
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

/// 2^t = 2^whole * (1 + fraction), fraction within 2^-31.8 of 2^f - 1 relative, |f| <= 1/2.
struct power_of_two {
  std::int64_t whole;
  double fraction;
};

/// (2^f - 1) / f, for doubles and for vectors of them: seven constants, Chebyshev nodes on [-1/2, 1/2].
/// Grouped so that few operations wait for each other.
template <class Doubles>
inline Doubles exp2_quotient(const Doubles& f) noexcept {
  const Doubles f2 = f * f;
  const Doubles low = (0x1.62e42fefa39efp-1 + 0x1.ebfbe045f4d3cp-3 * f) +
                      f2 * (0x1.c6b08d883dca1p-5 + 0x1.3b2a1b7152befp-7 * f);
  return low + (f2 * f2) * ((0x1.5d879ead06a82p-10 + 0x1.443fffc90db59p-13 * f) + f2 * 0x1.00a581594758ep-16);
}

/// The exponential of the masses. Domain |t| < 2^50.
inline power_of_two split_exp2(double t) noexcept {
  const double k = (t + rounder) - rounder;
  const double f = t - k;
  return {std::int64_t(k), f * exp2_quotient(f)};
}

inline constexpr double mass_one = 0x1p44;  ///< the mass of the maximum
inline constexpr double mass_reach = 31.2;  ///< nats below the maximum where every mass is 0

inline constexpr int mass_bits = 44;
inline constexpr double mass_floor = -64;  ///< a power of two whose mass is 0; deeper ones are as good as it
inline constexpr double ln_2 = 0x1.62e42fefa39efp-1;

/// round(2^44 * factor * e^x) for x <= 0 and 0 <= factor <= 1; the exponential within 2^-33 relative.
inline std::uint64_t mass(double x, double factor = 1) noexcept {
  if (!(x >= -mass_reach)) return 0;
  const power_of_two e = split_exp2(x * log2_e);
  const double exact = scale(1.0 + e.fraction, e.whole + mass_bits) * factor;
  return std::uint64_t(std::int64_t((exact + rounder) - rounder));
}

/// A mass, and what it adds to the sum of m_i log2(e^(x_i)).
struct weighed_mass {
  std::uint64_t mass;
  double weighted;
};
inline weighed_mass weigh(double x) noexcept {
  const double t = x * log2_e > mass_floor ? x * log2_e : mass_floor;
  const std::uint64_t m = mass(x);
  return {m, double(m) * t};
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel
