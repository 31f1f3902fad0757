#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// bfloat16 is the upper half of a float.
inline any_float widen_bf16(std::uint16_t bits) noexcept {
  return any_float::of_bits(std::uint32_t{bits} << 16);
}

/// IEEE half to float, exact; subnormals, infinities and NaN included. Integers only, so no flag flushes.
inline any_float widen_f16(std::uint16_t bits) noexcept {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  std::uint32_t exponent = bits >> 10 & 0x1fu, fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return any_float::of_bits(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    if (fraction == 0) return any_float::of_bits(sign);
    const int lift = std::countl_zero(fraction) - 21;  // brings the leading one to bit 10
    fraction = fraction << lift & 0x3ffu;
    exponent = std::uint32_t(1 - lift);
  }
  return any_float::of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

/// 16-bit floats as signed integers in their order, NaN among the infinities. Its own inverse.
inline std::int16_t ordered16(std::uint16_t bits) noexcept {
  const auto value = std::int16_t(bits);
  return std::int16_t(value ^ (value < 0 ? 0x7fff : 0));
}
/// The bits of +inf.
constexpr std::int16_t infinity16(logit_type type) noexcept {
  return type == logit_type::f16 ? 0x7c00 : 0x7f80;
}

/// Element `index` of a row of any logit type. The row may lie at any address.
inline any_float element(const void* row, logit_type type, std::size_t index) noexcept {
  if (type == logit_type::f32) {
    float value;
    std::memcpy(&value, static_cast<const std::byte*>(row) + index * sizeof value, sizeof value);
    return value;
  }
  std::uint16_t bits;
  std::memcpy(&bits, static_cast<const std::byte*>(row) + index * sizeof bits, sizeof bits);
  return type == logit_type::f16 ? widen_f16(bits) : widen_bf16(bits);
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
