#pragma once

#include <array>
#include <bit>
#include <cstdint>
#if defined(__has_include) && __has_include(<sys/random.h>)
#include <sys/random.h>
#define SLUICE_HAS_GETENTROPY 1
#else
#include <random>
#endif
#include <ctime>

#include <sluice/kernel/math.hpp>
#include <sluice/kernel/rank.hpp>
#include <sluice/sequence.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::random {

using words = std::array<std::uint32_t, 4>;

/// The streams, in the order of the contract: their numbers are part of what a seed means.
enum class stream : std::uint32_t {
  draw_heads,
  draw_tails,
  softmax_draw,
  xtc_coin,
  scatter_gate,
  acceptance,
  recovery,
  mirostat,
  adaptive_p,
  user
};

/// Philox4x32 (Salmon et al., Random123): a bijection of the counter for each key.
template <int Rounds = 10>
constexpr words philox(words counter, std::uint32_t key0, std::uint32_t key1) noexcept {
  for (int round = 0; round < Rounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {std::uint32_t(b >> 32) ^ counter[1] ^ key0, std::uint32_t(b),
               std::uint32_t(a >> 32) ^ counter[3] ^ key1, std::uint32_t(a)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// Whose numbers: one position of one sequence. Nothing else goes into a random number.
struct source {
  std::uint64_t seed = 0, position = 0;

  constexpr words at(stream s, std::uint32_t index) const noexcept {
    return philox({index, std::uint32_t(s), std::uint32_t(position), std::uint32_t(position >> 32)},
                  std::uint32_t(seed), std::uint32_t(seed >> 32));
  }
};

SLUICE_IEEE_BEGIN

/// Uniform in (0, 1) from 52 bits: odd multiples of 2^-53. With 53 bits the top value would round to 1.
inline double open_unit(std::uint64_t bits52) noexcept {
  return (std::bit_cast<double>(std::uint64_t{0x3FF0} << 48 | bits52) - 1.0) + 0x1p-53;
}

inline double open_unit(const words& w) noexcept { return open_unit(std::uint64_t{w[0]} << 20 | w[1] >> 12); }

/// Uniform in (0, 1) from 32 bits: odd multiples of 2^-33.
inline double open_unit32(std::uint32_t word) noexcept {
  return (std::bit_cast<double>(std::uint64_t{0x3FF0} << 48 | std::uint64_t{word} << 20) - 1.0) + 0x1p-33;
}

/// Fires with the given probability, once a position.
inline bool coin(source from, stream s, double probability) noexcept {
  const double u = (double(from.at(s, 0)[0]) + 0.5) * 0x1p-32;
  return u < probability;
}

// The noise field. Of 256 independent Exp(1) the smallest is Exp(1) / 256, its place is uniform, and the
// others are that minimum plus independent Exp(1): the exponential has no memory. So the smallest noise of a
// block is known without the others, and a token keeps its noise whatever else survives.

inline constexpr std::size_t block_size = 256;

/// A block's smallest exponential and the place of the token that has it.
struct head {
  double smallest = 0;
  std::uint32_t place = 0;
};

inline head noise_head(source from, std::uint32_t block) noexcept {
  const words w = from.at(stream::draw_heads, block);
  return {-kernel::ln_normal(open_unit(w)) / 256.0, w[2] >> 24};
}

/// What the exponential of a token has above its block's smallest, unless it is the smallest.
inline double noise_tail(source from, std::uint32_t token) noexcept {
  const words w = from.at(stream::draw_tails, token / 64 * 16 + token % 16);
  return -kernel::ln_normal(open_unit32(w[token / 16 % 4]));
}

/// Gumbel noise from an exponential: -ln E.
inline double gumbel(double exponential) noexcept { return -kernel::ln_normal(exponential); }

/// The Gumbel noise of one token: standard, independent over tokens, positions and seeds.
inline double noise(source from, std::uint32_t token) noexcept {
  const head h = noise_head(from, token / std::uint32_t(block_size));
  return gumbel(token % block_size == h.place ? h.smallest : h.smallest + noise_tail(from, token));
}

SLUICE_IEEE_END

/// floor(word * bound / 2^64): uniform below `bound` from a 64-bit word.
inline std::uint64_t scaled(std::uint64_t word, std::uint64_t bound) noexcept {
  return std::uint64_t((kernel::uint128{word} * bound) >> 64);
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::random

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
