#pragma once

// Seeds from a seed: for the n-th choice of one request, or for what has a name.

#include <cstdint>
#include <string_view>

#include <sluice/random/philox.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail {

/// FNV-1a of 64 bits (Fowler, Noll, Vo).
constexpr std::uint64_t hash_of(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

inline namespace SLUICE_ISA {

inline std::uint64_t derived_seed(std::uint64_t seed, random::stream from, std::uint64_t number) noexcept {
  const random::words w = random::source{seed, number}.at(from, 0);
  return std::uint64_t{w[0]} << 32 | w[1];
}

}  // namespace SLUICE_ISA
}  // namespace detail

/// The seed of choice `index` of a request with that seed: `sequence.fork(derive_seed(seed, n))`. Independent
/// of all numbers that the library draws with the seed itself.
SLUICE_ALWAYS_INLINE std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t index) noexcept {
  return detail::derived_seed(seed, random::stream::derived_seed, index);
}

/// The same by a name: bytes, compared as they are.
SLUICE_ALWAYS_INLINE std::uint64_t derive_seed(std::uint64_t seed, std::string_view name) noexcept {
  return detail::derived_seed(seed, random::stream::named_seed, detail::hash_of(name));
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
