#pragma once

#include <sluice/config.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

__extension__ using uint128 = unsigned __int128;

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel
