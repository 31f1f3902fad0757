// The unit of every ratio: the maximum of a row, as fast as the machine finds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <sluice/kernel/tier.hpp>
#include <span>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

inline constexpr float below_all = -std::numeric_limits<float>::infinity();

/// The best of some lanes and of what is left of the row.
inline float max_of(std::span<const float> lanes, std::span<const float> rest) {
  float max = *std::max_element(lanes.begin(), lanes.end());
  for (const float logit : rest) max = std::max(max, logit);
  return max;
}

// Eight accumulators hide the latency of the maximum.

/// Vectors of four for every machine.
inline float max_plain(std::span<const float> row) {
  using floats [[gnu::vector_size(16)]] = float;
  floats best[8];
  SLUICE_UNROLL
  for (std::size_t b = 0; b < 8; ++b) best[b] = floats{} + below_all;
  std::size_t i = 0;
  for (; i + 32 <= row.size(); i += 32) {
    SLUICE_UNROLL
    for (std::size_t b = 0; b < 8; ++b) {
      floats next;
      std::memcpy(&next, row.data() + i + 4 * b, sizeof next);
      best[b] = next > best[b] ? next : best[b];
    }
  }
  float lanes[32];
  std::memcpy(lanes, best, sizeof lanes);
  return max_of(lanes, row.subspan(i));
}

#if defined(__x86_64__)

[[gnu::target("avx2")]] inline float max_avx2(std::span<const float> row) {
  __m256 best[8];
  SLUICE_UNROLL
  for (std::size_t b = 0; b < 8; ++b) best[b] = _mm256_set1_ps(below_all);
  std::size_t i = 0;
  for (; i + 64 <= row.size(); i += 64) {
    SLUICE_UNROLL
    for (std::size_t b = 0; b < 8; ++b) {
      best[b] = _mm256_max_ps(_mm256_loadu_ps(row.data() + i + 8 * b), best[b]);
    }
  }
  float lanes[64];
  SLUICE_UNROLL
  for (std::size_t b = 0; b < 8; ++b) _mm256_storeu_ps(lanes + 8 * b, best[b]);
  return max_of(lanes, row.subspan(i));
}

/// With a full mask: g++ 12 warns about the undefined operand of the form without one.
[[gnu::target("avx512f")]] inline float max_avx512(std::span<const float> row) {
  __m512 best[8];
  SLUICE_UNROLL
  for (std::size_t b = 0; b < 8; ++b) best[b] = _mm512_set1_ps(below_all);
  std::size_t i = 0;
  for (; i + 128 <= row.size(); i += 128) {
    SLUICE_UNROLL
    for (std::size_t b = 0; b < 8; ++b) {
      best[b] = _mm512_maskz_max_ps(0xffff, _mm512_loadu_ps(row.data() + i + 16 * b), best[b]);
    }
  }
  float lanes[128];
  SLUICE_UNROLL
  for (std::size_t b = 0; b < 8; ++b) _mm512_storeu_ps(lanes + 16 * b, best[b]);
  return max_of(lanes, row.subspan(i));
}

#endif

/// With the instructions of the tier in use.
inline float read(std::span<const float> row) {
#if defined(__x86_64__)
  if (sluice::tier() == sluice::instruction_tier::avx512) return max_avx512(row);
  if (sluice::tier() == sluice::instruction_tier::avx2) return max_avx2(row);
#endif
  return max_plain(row);
}

}  // namespace bench
