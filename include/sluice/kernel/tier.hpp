#pragma once

#include <initializer_list>

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Which instructions the kernels use. All tiers give the same bits. The numbers are no order.
enum class instruction_tier : int { scalar, avx2, avx512 };

/// Whether this machine has a tier, and the library was compiled with it.
inline bool has_tier(instruction_tier tier) noexcept {
#if defined(SLUICE_HAS_AVX2)
  __builtin_cpu_init();
  if (tier == instruction_tier::avx2) return __builtin_cpu_supports("avx2");
#endif
#if defined(SLUICE_HAS_AVX512)
  if (tier == instruction_tier::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#endif
  return tier == instruction_tier::scalar;
}

namespace detail {

/// The one piece of global state: the tier, chosen at the first call. -1: not yet.
inline int chosen_tier = -1;

inline instruction_tier best_tier() noexcept {
  for (const instruction_tier tier : {instruction_tier::avx512, instruction_tier::avx2})
    if (has_tier(tier)) return tier;
  return instruction_tier::scalar;
}

}  // namespace detail

/// The tier in use: the best one of this machine, or SLUICE_TIER (scalar, avx2 or avx512), which pins it.
inline instruction_tier tier() noexcept {
#if defined(SLUICE_TIER)
  return instruction_tier::SLUICE_TIER;
#else
  int now = __atomic_load_n(&detail::chosen_tier, __ATOMIC_RELAXED);
  if (now < 0) {
    now = int(detail::best_tier());
    __atomic_store_n(&detail::chosen_tier, now, __ATOMIC_RELAXED);
  }
  return instruction_tier(now);
#endif
}

/// For tests: uses this tier from now on, if the machine has it. False where it does not, or a tier is
/// pinned.
inline bool force_tier(instruction_tier wanted) noexcept {
#if defined(SLUICE_TIER)
  return wanted == tier();
#else
  if (!has_tier(wanted)) return false;
  __atomic_store_n(&detail::chosen_tier, int(wanted), __ATOMIC_RELAXED);
  return true;
#endif
}

}  // namespace sluice::v1

#include <sluice/macros_back.inc>
