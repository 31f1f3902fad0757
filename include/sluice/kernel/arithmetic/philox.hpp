#pragma once

#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/one_lane.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

namespace scalar {
#include <sluice/kernel/arithmetic/philox.inc>
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
