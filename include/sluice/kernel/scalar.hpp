#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sluice/kernel/arithmetic/collision.hpp>
#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/kernel/arithmetic/mass.hpp>
#include <sluice/kernel/arithmetic/minimum_bound.hpp>
#include <sluice/kernel/arithmetic/rank_key.hpp>
#include <sluice/kernel/arithmetic/schraudolph.hpp>
#include <sluice/kernel/arithmetic/widen.hpp>
#include <sluice/kernel/block.hpp>
#include <sluice/kernel/lanes.hpp>
#include <sluice/kernel/table.hpp>
#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <sluice/macros_off.inc>

// The kernels in plain loops: their definition, the tier of machines without vectors, and what the others are
// tested against. Contracts stand in table.hpp.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

/// f(id, logit) for every token of some blocks with a logit of at least `threshold`.
template <class F>
inline void each_token(const block* blocks, std::size_t count, float threshold, F&& f) noexcept {
  for (std::size_t b = 0; b < count; ++b) {
    if (!(blocks[b].max >= threshold)) continue;
    for (std::uint32_t i = 0; i < blocks[b].count; ++i)
      if (blocks[b].logits[i] >= threshold) f(blocks[b].id(i), blocks[b].logits[i]);
  }
}

namespace scalar {

inline void widen(const std::uint16_t* row, std::size_t size, logit_type type, float* out) noexcept {
  for (std::size_t i = 0; i < size; ++i) out[i] = element(row, type, i);  // at any address
}

inline row_content index_narrow(const std::uint16_t* row, std::size_t size, logit_type type,
                                block* out) noexcept {
  row_content found{.all_finite = true};
  for (std::size_t first = 0; first < size; first += block_size, ++out) {
    const std::size_t count = size - first < block_size ? size - first : block_size;
    std::int16_t max = std::int16_t(~infinity16(type));  // -inf
    for (std::size_t i = first; i < first + count; ++i) {
      std::uint16_t bits;
      std::memcpy(&bits, row + i, sizeof bits);
      const auto magnitude = std::int16_t(bits & 0x7fff);
      found.nan |= magnitude > infinity16(type);
      found.all_finite &= magnitude < infinity16(type);
      const std::int16_t key = ordered16(bits);
      if (magnitude <= infinity16(type) && key > max) max = key;
    }
    *out = {.first = token_id(first), .count = std::uint32_t(count)};
    const std::uint16_t best = std::uint16_t(ordered16(std::uint16_t(max)));
    out->max = type == logit_type::f16 ? widen_f16(best) : widen_bf16(best);
  }
  return found;
}

inline row_content index(const float* row, std::size_t size, block* out) noexcept {
  row_content found{.nan = any_nan(row, size), .all_finite = true};
  for (std::size_t i = 0; i < size; ++i) found.all_finite &= !is_nan(row[i]) && !is_infinite(row[i]);
  for (std::size_t first = 0; first < size; first += block_size, ++out) {
    const std::size_t count = size - first < block_size ? size - first : block_size;
    *out = {.logits = row + first, .first = token_id(first), .count = std::uint32_t(count)};
    out->max = max_of(row + first, count, lowest);
  }
  return found;
}

inline std::size_t count_at_least(const float* values, std::size_t size, float least) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += values[i] >= least;
  return count;
}

inline std::size_t collect(const block* blocks, std::size_t count, float threshold, float below,
                           rank_key* out) noexcept {
  rank_key* const begin = out;
  each_token(blocks, count, threshold, [&](token_id id, float logit) {
    if (logit < below) *out++ = key_of(logit, id);
  });
  return std::size_t(out - begin);
}

inline std::size_t count(const block* blocks, std::size_t count, float threshold) noexcept {
  std::size_t tokens = 0;
  each_token(blocks, count, threshold, [&](token_id, float) { ++tokens; });
  return tokens;
}

inline fast_moments moments(const block* blocks, std::size_t count, float threshold, float shift) noexcept {
  fast_moments result;
  lane_sums<float, 2> sums;
  each_token(blocks, count, threshold, [&](token_id id, float logit) {
    const float d = logit - shift;
    ++result.count;
    sums.add(id, {d, d * d});
  });
  const auto total = sums.total();
  result.sum = total[0];
  result.squares = total[1];
  return result;
}

inline mass_sums mass(const block* blocks, std::size_t count, float threshold, double max) noexcept {
  mass_sums result;
  each_token(blocks, count, threshold,
             [&](token_id, float logit) { result.total += kernel::mass(double(logit) - max); });
  return result;
}

inline mass_sums weighted_mass(const block* blocks, std::size_t count, float threshold, double max) noexcept {
  mass_sums result;
  lane_sums<double, 1> weighted;
  each_token(blocks, count, threshold, [&](token_id id, float logit) {
    const kernel::weighted_mass m = mass_and_weighted(double(logit) - max);
    result.total += m.mass;
    weighted.add(id, {m.weighted});
  });
  result.weighted = weighted.total()[0] * ln_2;
  return result;
}

inline collision_sums collision(const block* blocks, std::size_t count, float threshold, float max,
                                float c) noexcept {
  collision_sums result;
  lane_sums<float, 2> sums;
  each_token(blocks, count, threshold, [&](token_id id, float logit) {
    ++result.count;
    const float_power p = split_exp2f(collision_exponent(logit, max, c));
    const float e = std::bit_cast<float>(std::bit_cast<std::int32_t>(1.0f + p.fraction) + (p.exponent << 23));
    sums.add(id, {e, e * (p.exponent == 0 ? p.fraction : e - 1.0f)});
  });
  const auto total = sums.total();
  result.sum = total[0];
  result.excess = total[1];
  return result;
}

inline approx_masses approx_mass(const block* blocks, std::size_t count, float threshold, float pivot,
                                 float max) noexcept {
  approx_masses result;
  for (std::size_t b = 0; b < count; ++b) {
    if (!(blocks[b].max >= pivot)) continue;
    each_token(blocks + b, 1, threshold, [&](token_id, float logit) {
      const double s = double(kernel::schraudolph_exp(logit, max));
      result.visited += s;
      if (logit >= pivot) result.reached += s;
      result.ties += logit == pivot;
    });
  }
  return result;
}

inline void minimum_bounds(const std::uint32_t* numbers, std::size_t count, random::source from,
                           float* bounds, std::uint8_t* places) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const random::words w = from.at(random::stream::draw_heads, numbers[i]);
    bounds[i] = kernel::minimum_bound(w[0]);
    places[i] = std::uint8_t(w[2] >> 24);
  }
}

inline void minima(const std::uint32_t* numbers, std::size_t count, random::source from,
                   double* exponentials) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    exponentials[i] = random::noise_minimum(from, numbers[i]).exponential;
}

inline void excesses(const std::uint32_t* tokens, std::size_t count, random::source from,
                     double* exponentials) noexcept {
  for (std::size_t i = 0; i < count; ++i) exponentials[i] = random::noise_excess(from, tokens[i]);
}

inline void gumbels(const double* exponentials, std::size_t count, double* noise) noexcept {
  for (std::size_t i = 0; i < count; ++i) noise[i] = random::gumbel(exponentials[i]);
}

#include <sluice/kernel/members.inc>

}  // namespace scalar

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
