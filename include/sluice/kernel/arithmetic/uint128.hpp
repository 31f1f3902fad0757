#pragma once

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

__extension__ using uint128 = unsigned __int128;

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
