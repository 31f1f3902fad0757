// The oracle's random numbers: Philox4x32-10, coins, the noise field and the word of the softmax draw.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "oracle_row.hpp"

namespace tests::oracle {

enum stream : std::uint32_t { draw_heads, draw_tails, softmax_draw, xtc_coin, scatter_gate };

using words = std::array<std::uint32_t, 4>;

/// Random123's philox4x32.
inline words philox(words counter, std::array<std::uint32_t, 2> key, int rounds = 10) {
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// A seed and a position: what every number of one step depends on.
struct place_in_time {
  std::uint64_t seed = 0;
  std::uint64_t position = 0;

  words at(std::uint32_t stream, std::uint32_t index) const {
    return philox(
        {index, stream, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32)},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  }

  /// u = (w0 + 1/2) 2^-32, exact in double.
  double coin(std::uint32_t stream) const { return (double(at(stream, 0)[0]) + 0.5) * 0x1p-32; }
};

/// The least of the block's 256 exponentials, and the token of the block that has it.
struct block_head {
  real least = 0;
  std::uint32_t place = 0;
};

inline block_head head_of(const place_in_time& now, std::uint32_t block) {
  const words w = now.at(draw_heads, block);
  const std::uint64_t k = std::uint64_t{w[0]} << 20 | w[1] >> 12;
  const double u = (std::bit_cast<double>(std::uint64_t{0x3FF0} << 48 | k) - 1.0) + 0x1p-53;
  return {-std::log(real(u)) / 256, w[2] >> 24};
}

/// The standard Gumbel noise of a token.
inline real noise_of(const place_in_time& now, std::uint32_t id) {
  const block_head head = head_of(now, id / 256);
  if (head.place == id % 256) return -std::log(head.least);
  const std::uint32_t w = now.at(draw_tails, id / 64 * 16 + id % 16)[id / 16 % 4];
  const double u =
      (std::bit_cast<double>(std::uint64_t{0x3FF0} << 48 | std::uint64_t{w} << 20) - 1.0) + 0x1p-33;
  return -std::log(head.least - std::log(real(u)));
}

/// word = w0 2^32 + w1 of the softmax draw.
inline std::uint64_t softmax_word(const place_in_time& now) {
  const words w = now.at(softmax_draw, 0);
  return std::uint64_t{w[0]} << 32 | w[1];
}

}  // namespace tests::oracle
