#pragma once

#include <array>
#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/philox.hpp>
#include <sluice/kernel/arithmetic/uint128.hpp>
#include <sluice/kernel/arithmetic/uniform.hpp>

#include <sluice/macros_off.inc>

// Random numbers as a function of seed, position, stream and index: nothing is carried from one to the next.

namespace sluice::inline v1::inline SLUICE_ISA::random {

using words = std::array<std::uint32_t, 4>;

/// The streams, in the order of the contract: their numbers are part of what a seed means.
enum class stream : std::uint32_t {
  draw_heads,  ///< the block minima of the noise field
  draw_tails,  ///< what its tokens have above them
  softmax_draw,
  xtc_coin,
  scatter_gate,
  acceptance,
  recovery,
  mirostat,
  adaptive_p,
  user,
  derived_seed,
  named_seed
};

/// Philox4x32: a bijection of the counter for each key.
template <int Rounds = 10>
constexpr words philox(words counter, std::uint32_t key0, std::uint32_t key1) noexcept {
  const kernel::scalar::philox_words out =
      kernel::scalar::philox_rounds<Rounds>({{counter[0], counter[1], counter[2], counter[3]}}, key0, key1);
  return {out.w[0], out.w[1], out.w[2], out.w[3]};
}

/// Whose numbers: one position of one sequence. Nothing else goes into a random number.
struct source {
  std::uint64_t seed = 0, position = 0;

  constexpr words at(stream s, std::uint32_t index) const noexcept {
    return philox({index, std::uint32_t(s), std::uint32_t(position), std::uint32_t(position >> 32)},
                  std::uint32_t(seed), std::uint32_t(seed >> 32));
  }
};

using kernel::scalar::open_unit;
using kernel::scalar::open_unit32;

/// From the first 52 bits of four words.
inline double open_unit(const words& w) noexcept { return open_unit(std::uint64_t{w[0]} << 20 | w[1] >> 12); }

SLUICE_IEEE_BEGIN

/// Fires with the given probability, once a position.
inline bool coin(source from, stream s, double probability) noexcept {
  const double u = (double(from.at(s, 0)[0]) + 0.5) * 0x1p-32;
  return u < probability;
}

SLUICE_IEEE_END

/// floor(word * bound / 2^64): uniform below `bound` from a 64-bit word.
inline std::uint64_t scaled(std::uint64_t word, std::uint64_t bound) noexcept {
  return std::uint64_t((kernel::uint128{word} * bound) >> 64);
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::random

#include <sluice/macros_back.inc>
