#pragma once

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// Adding and subtracting it rounds a double of magnitude below 2^51 to the nearest integer, ties to even.
inline constexpr double round_double = 0x1.8p52;
/// Adding and subtracting it rounds a float of magnitude below 2^22 to the nearest integer, ties to even.
inline constexpr float round_float = 0x1.8p23f;

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
