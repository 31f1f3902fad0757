#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sluice/kernel/scalar.hpp>

// 256-bit vectors. The code is vector_kernels.inc, compiled for this tier.

namespace sluice::inline v1::inline SLUICE_ISA::kernel::avx2 {

SLUICE_TARGET_BEGIN("avx2")

inline constexpr std::size_t width = 8;  // floats in a vector

#include <sluice/kernel/vector_kernels.inc>

SLUICE_TARGET_END

}  // namespace sluice::v1::SLUICE_ISA::kernel::avx2
