#pragma once

// The choice of tier; the contract is contract.hpp.

#include <sluice/kernel/contract.hpp>
#include <sluice/kernel/scalar.hpp>
#include <sluice/kernel/tier.hpp>
#if defined(SLUICE_HAS_AVX2)
#include <sluice/kernel/avx2.hpp>
#endif
#if defined(SLUICE_HAS_AVX512)
#include <sluice/kernel/avx512.hpp>
#endif

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// The kernels of a tier that the machine has.
inline const table& kernels(instruction_tier which) noexcept {
#if defined(SLUICE_HAS_AVX512)
  if (which == instruction_tier::avx512) return avx512::kernels;
#endif
#if defined(SLUICE_HAS_AVX2)
  if (which != instruction_tier::scalar) return avx2::kernels;
#endif
  (void)which;
  return scalar::kernels;
}

}  // namespace sluice::v1::SLUICE_ISA::kernel
