#pragma once

#include <cstdint>
#if defined(__has_include) && __has_include(<sys/random.h>)
#include <sys/random.h>
#define SLUICE_HAS_GETENTROPY 1
#else
#include <random>
#endif
#include <ctime>

#include <sluice/fwd.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

inline std::uint64_t random_seed() {
  std::uint64_t seed = 0;
#if defined(SLUICE_HAS_GETENTROPY)
  if (getentropy(&seed, sizeof seed) == 0) return seed;
  // No entropy source (an old kernel in a cage): the clock and an address are the best there is.
  timespec now{};
  timespec_get(&now, TIME_UTC);
  seed = std::uint64_t(now.tv_sec) * 1'000'000'000u + std::uint64_t(now.tv_nsec);
  return seed ^ reinterpret_cast<std::uintptr_t>(&seed) << 20;
#else
  std::random_device device;
  seed = device();
  return seed << 32 | device();
#endif
}

}  // namespace sluice::inline v1

#undef SLUICE_HAS_GETENTROPY

#include <sluice/macros_back.inc>
