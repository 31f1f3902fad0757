#pragma once

#include <bit>
#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/uint128.hpp>

#include <sluice/macros_off.inc>

// Fractions of a total mass, without rounding: a parameter is the float that it is.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// The nearest value in [0, 1]; NaN is 0.
inline float fraction(const float& value) noexcept { return value > 0 ? value < 1 ? value : 1.0f : 0.0f; }

/// A non-negative float as what it is: mantissa * 2^-shift. Its products with masses are then exact.
struct exact_fraction {
  std::uint32_t mantissa;
  int shift;
};

inline exact_fraction exact(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const int exponent = int(bits >> 23 & 0xff);
  if (exponent == 0) return {bits & 0x7fffffu, 149};
  return {(bits & 0x7fffffu) | 0x800000u, 150 - exponent};
}

/// floor(value * total) for value in [0, 1].
inline std::uint64_t floor_product(float value, std::uint64_t total) noexcept {
  const auto [mantissa, shift] = exact(value);
  return shift >= 128 ? 0 : std::uint64_t(uint128{mantissa} * total >> shift);
}

/// The least mass that is at least value * total, and at least 1: the shortest prefix is never empty.
inline std::uint64_t needed_mass(float value, std::uint64_t total) noexcept {
  const auto [mantissa, shift] = exact(value);
  if (shift >= 128 || mantissa == 0) return 1;
  const uint128 product = uint128{mantissa} * total;
  const uint128 rounded = (product >> shift) + ((product & ((uint128{1} << shift) - 1)) != 0 ? 1 : 0);
  return rounded == 0 ? 1 : std::uint64_t(rounded);
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
