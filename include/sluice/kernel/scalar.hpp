#pragma once

#include <cstddef>
#include <cstdint>

#include <sluice/kernel/block.hpp>
#include <sluice/kernel/contract.hpp>
#include <sluice/kernel/lanes.hpp>
#include <sluice/kernel/math.hpp>
#include <sluice/kernel/rank.hpp>
#include <sluice/random.hpp>

// The kernels in plain loops: their definition, the tier of machines without vectors, and what the others are
// tested against. Contracts stand in contract.hpp.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_STRICT_BEGIN

/// f(id, logit) for every token of some blocks with a logit of at least `floor`.
template <class F>
inline void each_token(const block* blocks, std::size_t count, float floor, F&& f) noexcept {
  for (std::size_t b = 0; b < count; ++b) {
    if (!(blocks[b].max >= floor)) continue;
    for (std::uint32_t i = 0; i < blocks[b].count; ++i)
      if (blocks[b].logits[i] >= floor) f(blocks[b].id(i), blocks[b].logits[i]);
  }
}

namespace scalar {

inline void widen(const std::uint16_t* row, std::size_t size, logit_type type, float* out) noexcept {
  for (std::size_t i = 0; i < size; ++i)
    out[i] = type == logit_type::f16 ? widen_f16(row[i]) : widen_bf16(row[i]);
}

inline bool index(const float* row, std::size_t size, block* out) noexcept {
  bool nan = false;
  for (std::size_t first = 0; first < size; first += 256, ++out) {
    const std::size_t count = size - first < 256 ? size - first : 256;
    *out = {.logits = row + first, .first = token_id(first), .count = std::uint32_t(count)};
    out->max = max_of(row + first, count, lowest);
    nan |= any_nan(row + first, count);
  }
  return nan;
}

inline std::size_t count_at_least(const float* values, std::size_t size, float least) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += values[i] >= least;
  return count;
}

inline std::size_t collect(const block* blocks, std::size_t count, float least, float below,
                           rank_key* out) noexcept {
  rank_key* const begin = out;
  each_token(blocks, count, least, [&](token_id id, float logit) {
    if (logit < below) *out++ = key_of(logit, id);
  });
  return std::size_t(out - begin);
}

inline std::size_t size(const block* blocks, std::size_t count, float least) noexcept {
  std::size_t tokens = 0;
  each_token(blocks, count, least, [&](token_id, float) { ++tokens; });
  return tokens;
}

inline fast_moments moments(const block* blocks, std::size_t count, float floor, float shift) noexcept {
  fast_moments result;
  lane_sums<float, 2> sums;
  each_token(blocks, count, floor, [&](token_id id, float logit) {
    const float d = logit - shift;
    ++result.count;
    sums.add(id, {d, d * d});
  });
  const auto total = sums.total();
  result.sum = total[0];
  result.squares = total[1];
  return result;
}

inline mass_sums mass(const block* blocks, std::size_t count, float floor, double max) noexcept {
  mass_sums result;
  lane_sums<double, 1> weighted;
  each_token(blocks, count, floor, [&](token_id id, float logit) {
    const double x = double(logit) - max;
    const std::uint64_t m = kernel::mass(x);
    result.total += m;
    if (m != 0) weighted.add(id, {double(m) * x});
  });
  result.weighted = weighted.total()[0];
  return result;
}

inline agreement agree(const block* blocks, std::size_t count, float floor, float max, float c) noexcept {
  agreement result;
  lane_sums<float, 2> sums;
  each_token(blocks, count, floor, [&](token_id id, float logit) {
    ++result.count;
    const float t = (logit - max) * c;
    if (!(t >= -92.0f)) return;
    const float_power p = split_exp2f(t);
    const float e = std::bit_cast<float>(std::bit_cast<std::int32_t>(1.0f + p.fraction) + (p.whole << 23));
    sums.add(id, {e, e * (p.whole == 0 ? p.fraction : e - 1.0f)});
  });
  const auto total = sums.total();
  result.sum = total[0];
  result.excess = total[1];
  return result;
}

inline rough_mass rough(const block* blocks, std::size_t count, float floor, float skip, float max, float low,
                        float high) noexcept {
  rough_mass result;
  for (std::size_t b = 0; b < count; ++b) {
    if (!(blocks[b].max >= skip)) continue;
    each_token(blocks + b, 1, floor, [&](token_id, float logit) {
      const float x = logit - max;
      if (!(x >= -80.0f)) return;
      const double s = double(std::bit_cast<float>(std::int32_t(x * (0x1p23f * 1.44269504f)) + 0x3f800000));
      result.total += s;
      if (logit >= low) result.reached += s;
      if (logit > high) result.above += s;
    });
  }
  return result;
}

inline void heads(const std::uint32_t* numbers, std::size_t count, random::source from, float* bounds,
                  std::uint8_t* places) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const random::words w = from.at(random::stream::draw_heads, numbers[i]);
    bounds[i] = head_bound(w[0]);
    places[i] = std::uint8_t(w[2] >> 24);
  }
}

inline constexpr table kernels = {widen,   index, count_at_least, collect, size,
                                  moments, mass,  agree,          rough,   heads};

}  // namespace scalar

SLUICE_STRICT_END

}  // namespace sluice::v1::SLUICE_ISA::kernel
