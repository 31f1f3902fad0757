#pragma once

#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/one_lane.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

namespace scalar {
#include <sluice/kernel/arithmetic/minimum_bound.inc>
}

/// The bound from the upper 32 bits of u.
inline float minimum_bound(std::uint32_t word) noexcept {
  return scalar::minimum_bound(float(std::int32_t(~word >> 1)));
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
