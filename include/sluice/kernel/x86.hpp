#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <sluice/kernel/scalar.hpp>

#include <sluice/macros_off.inc>

// The tiers of x86: one text, compiled for vectors of 256 and of 512 bits.

#if defined(SLUICE_HAS_AVX2)
namespace sluice::inline v1::inline SLUICE_ISA::kernel::avx2 {

SLUICE_TARGET_BEGIN("avx2")
inline constexpr std::size_t width = 8;  // floats in a vector
#include <sluice/kernel/vector/operations_x86.inc>
// Written with them:
#include <sluice/kernel/vector/kernels.inc>
SLUICE_TARGET_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel::avx2
#endif

#if defined(SLUICE_HAS_AVX512)
namespace sluice::inline v1::inline SLUICE_ISA::kernel::avx512 {

SLUICE_TARGET_BEGIN("avx2,avx512f,avx512dq")
inline constexpr std::size_t width = 16;
#include <sluice/kernel/vector/operations_x86.inc>
// Written with them:
#include <sluice/kernel/vector/kernels.inc>
SLUICE_TARGET_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel::avx512
#endif

#include <sluice/macros_back.inc>
