#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

// Single floats: NaN and infinity under every flag of the compiler, neighbours, and sums that stay finite.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

inline constexpr float lowest = std::numeric_limits<float>::lowest();

/// A float that may be NaN or infinite, on its way out of a function. Under -ffast-math clang 17 and newer
/// take for granted that a plain float is neither when a function gives it back or takes it by value,
/// whatever the region says; they say nothing of structs and references.
struct any_float {
  float value;

  any_float(const float& v) noexcept : value(v) {}
  operator const float&() const noexcept { return value; }

  static any_float of_bits(std::uint32_t bits) noexcept {
    any_float result(0.0f);
    std::memcpy(&result.value, &bits, sizeof bits);
    return result;
  }
};

/// A float by its bits: true under every flag of the compiler.
inline bool is_nan(const float& value) noexcept {
  return (std::bit_cast<std::uint32_t>(value) & 0x7fffffffu) > 0x7f800000u;
}
inline bool is_nan(const double& value) noexcept {
  return (std::bit_cast<std::uint64_t>(value) & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}
inline bool is_infinite(const float& value) noexcept {
  return (std::bit_cast<std::uint32_t>(value) & 0x7fffffffu) == 0x7f800000u;
}
/// The next float above a finite one; -0 and +0 are one value.
inline float next_up(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) == 0) return std::bit_cast<float>(1u);
  return std::bit_cast<float>(bits >> 31 ? bits - 1 : bits + 1);
}
inline any_float infinite(int sign) noexcept {
  return any_float::of_bits(sign < 0 ? 0xff800000u : 0x7f800000u);
}

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

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
