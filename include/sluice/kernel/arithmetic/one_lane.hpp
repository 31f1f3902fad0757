#pragma once

#include <cstdint>

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

// A formula stands once, as text, in an .inc file of this folder. It is written over type names and a few
// operations, which here mean one value at a time; in kernel/vector/ they mean vectors. It is text and no
// function, since a function keeps the instructions of the place where it is written.

namespace sluice::inline v1::inline SLUICE_ISA::kernel::scalar {

using doubles = double;
using longs = std::int64_t;         // the bits of doubles
using wide_words = std::uint64_t;   // as longs, unsigned
using philox_word = std::uint32_t;  // the lower half of a wide word
using floats = float;
using ints = std::int32_t;  // the bits of floats
using half_floats = float;  // as many floats as doubles
using half_ints = std::int32_t;

/// The product of the lower halves.
constexpr wide_words low_product(philox_word a, std::uint32_t by) noexcept { return wide_words{a} * by; }

SLUICE_IEEE_BEGIN

/// a > b ? a : b, so b where one is NaN.
inline float larger(const float& a, const float& b) noexcept { return a > b ? a : b; }

constexpr float broadcast(float x) noexcept { return x; }

inline half_floats to_floats(half_ints v) noexcept { return float(v); }
/// Towards zero.
inline ints to_ints(floats v) noexcept { return std::int32_t(v); }

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel::scalar

#include <sluice/macros_back.inc>
