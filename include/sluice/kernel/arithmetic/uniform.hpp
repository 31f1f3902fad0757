#pragma once

#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/one_lane.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

namespace scalar {
#include <sluice/kernel/arithmetic/uniform.inc>
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
