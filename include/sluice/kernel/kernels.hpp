#pragma once

// The kernels of each tier; what they do is table.hpp.

#include <sluice/kernel/scalar.hpp>
#include <sluice/kernel/table.hpp>
#include <sluice/kernel/tier.hpp>
#include <sluice/kernel/x86.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// In the order of instruction_tier. A tier that this compiler or machine cannot have is served by a lesser
/// one.
inline constexpr const table* tables[] = {
    &scalar::kernels,
#if defined(SLUICE_HAS_AVX512)
    &avx2::kernels,
    &avx512::kernels,
#elif defined(SLUICE_HAS_AVX2)
    &avx2::kernels,
    &avx2::kernels,
#else
    &scalar::kernels,
    &scalar::kernels,
#endif
};

/// The kernels of a tier that the machine has.
inline const table& kernels(instruction_tier which) noexcept { return *tables[std::size_t(which)]; }

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
