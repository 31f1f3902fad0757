#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <sluice/config.hpp>
#include <sluice/types.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

__extension__ using uint128 = unsigned __int128;

/// The one total order as an integer: a higher key ranks before a lower one. The upper half is the logit as
/// ordered bits (-0 as +0), the lower half the inverted id. No token has key 0.
using rank_key = std::uint64_t;

SLUICE_IEEE_BEGIN

inline rank_key key_of(float logit, token_id id) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(logit + 0.0f);  // -0 + 0 = +0
  const std::uint32_t ordered = bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
  return rank_key{ordered} << 32 | std::uint32_t(~std::uint32_t(id));
}

SLUICE_IEEE_END

inline float logit_of(rank_key key) noexcept {
  const auto ordered = std::uint32_t(key >> 32);
  return std::bit_cast<float>(ordered ^ (ordered >> 31 ? 0x80000000u : 0xffffffffu));
}

inline token_id id_of(rank_key key) noexcept { return token_id(~std::uint32_t(key)); }

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

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel
