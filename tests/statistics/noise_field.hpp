// The noise field written out from its definition, with a fault of choice: what the tests must turn away.
#pragma once

#include <cmath>
#include <cstdint>

#include "oracle_noise.hpp"

namespace tests::statistics {

enum class fault {
  none,
  uniform_of_24_bits,
  head_not_divided,
  tail_at_smallest,
  shared_by_neighbours,
  tails_of_the_heads_stream,
  tail_words_one_by_one,
  place_from_the_low_byte,
  position_ignored,
  position_high_ignored,
  seed_high_ignored
};

/// Uniform in (0, 1) of the first `bits` bits of 52.
inline double unit_of(std::uint64_t bits52, int bits) {
  return (double(bits52 >> (52 - bits)) + 0.5) * std::ldexp(1.0, -bits);
}

/// The exponential of one token.
inline double exponential_of(fault f, std::uint64_t seed, std::uint64_t position, std::uint32_t token) {
  if (f == fault::shared_by_neighbours) token &= ~1u;
  if (f == fault::position_ignored) position = 0;
  if (f == fault::position_high_ignored) position &= 0xffffffff;
  if (f == fault::seed_high_ignored) seed &= 0xffffffff;
  const oracle::place_in_time now{seed, position};
  const bool narrow = f == fault::uniform_of_24_bits;

  const oracle::words head = now.at(oracle::draw_heads, token / 256);
  const double smallest = -std::log(unit_of(std::uint64_t{head[0]} << 20 | head[1] >> 12, narrow ? 24 : 52)) /
                          (f == fault::head_not_divided ? 1 : 256);
  const std::uint32_t place = f == fault::place_from_the_low_byte ? head[2] & 0xff : head[2] >> 24;
  if (token % 256 == place && f != fault::tail_at_smallest) return smallest;

  const oracle::stream stream =
      f == fault::tails_of_the_heads_stream ? oracle::draw_heads : oracle::draw_tails;
  const std::uint32_t word = f == fault::tail_words_one_by_one
                                 ? now.at(stream, token / 4)[token % 4]
                                 : now.at(stream, token / 64 * 16 + token % 16)[token / 16 % 4];
  return smallest - std::log(unit_of(std::uint64_t{word} << 20, narrow ? 24 : 32));
}

inline double noise_of(fault f, std::uint64_t seed, std::uint64_t position, std::uint32_t token) {
  return -std::log(exponential_of(f, seed, position, token));
}

}  // namespace tests::statistics
