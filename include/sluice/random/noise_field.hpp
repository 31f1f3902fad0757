#pragma once

#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

// The noise field. Of 256 independent Exp(1) the smallest is Exp(1) / 256, its place is uniform, and the
// others are that minimum plus independent Exp(1): the exponential has no memory. So the smallest noise of a
// block is known without the others, and a token keeps its noise whatever else survives.

namespace sluice::inline v1::inline SLUICE_ISA::random {

using detail::block_size;

SLUICE_IEEE_BEGIN

/// A block's smallest exponential and which of its tokens has it.
struct block_minimum {
  double exponential = 0;
  std::uint32_t slot = 0;
};

inline block_minimum noise_minimum(source from, std::uint32_t block) noexcept {
  const words w = from.at(stream::draw_heads, block);
  return {-kernel::ln_normal(open_unit(w)) / double(block_size), w[2] >> 24};
}

/// What the exponential of a token has above its block's smallest, unless it is the smallest.
inline double noise_excess(source from, std::uint32_t token) noexcept {
  const words w = from.at(stream::draw_tails, token / 64 * 16 + token % 16);
  return -kernel::ln_normal(open_unit32(w[token / 16 % 4]));
}

/// Gumbel noise from an exponential: -ln E.
inline double gumbel(double exponential) noexcept { return -kernel::ln_normal(exponential); }

/// The Gumbel noise of one token: standard, independent over tokens, positions and seeds.
inline double noise(source from, std::uint32_t token) noexcept {
  const block_minimum least = noise_minimum(from, token / std::uint32_t(block_size));
  return gumbel(token % block_size == least.slot ? least.exponential
                                                 : least.exponential + noise_excess(from, token));
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::random

#include <sluice/macros_back.inc>
