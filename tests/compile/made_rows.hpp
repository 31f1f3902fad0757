#pragma once

// Rows and parameters for programs that are compiled with different flags. All values come from integers and
// exact conversions, so that no flag changes the input.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <sluice/api.hpp>
#include <vector>

inline std::uint64_t made_word(std::uint64_t index) {
  std::uint64_t x = index * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// A bell-shaped row on a grid of 2^-10, of 700 to 1,723 tokens, or one of the odd rows: ties, absent and
/// infinite logits, NaN, subnormals, huge values.
inline std::vector<float> made_row(unsigned index) {
  constexpr std::uint32_t infinity = 0x7F800000, minus_infinity = 0xFF800000, nan = 0x7FC00000;
  std::vector<float> row(700 + made_word(index) % 1024);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::uint64_t word = made_word((std::uint64_t{index} << 32) + i);
    std::int32_t sum = -0x8000 * 2;
    for (int part = 0; part < 4; ++part) sum += std::int32_t((word >> (16 * part)) & 0x7FFF);
    row[i] = std::bit_cast<float>(0x3A800000u) * static_cast<float>(sum / 8);
    if (index % 8 == 1 && word % 3 == 0) row[i] = 2;
    if (index % 8 == 2 && word % 2 == 0) row[i] = std::bit_cast<float>(minus_infinity);
    if (index % 8 == 3 && word % 5 == 0) row[i] = std::bit_cast<float>(nan);
    if (index % 16 == 4 && word % 300 == 0) row[i] = std::bit_cast<float>(infinity);
    if (index % 16 == 5) row[i] = std::bit_cast<float>(std::uint32_t(word) & 0x807FFFFFu);
    if (index % 16 == 12) row[i] = std::bit_cast<float>((std::uint32_t(word) & 0x80000000u) | 0x7F7FFFFEu);
  }
  return row;
}

/// Ten requests that together run every stage.
inline std::vector<sluice::sampling_params> made_params() {
  using sluice::sampling_params;
  return {
      sampling_params{.seed = 1, .temperature = 0.8f},
      sampling_params{.seed = 2, .temperature = 0.8f, .top_k = 40, .top_p = 0.95f, .min_p = 0.05f},
      sampling_params{.seed = 3, .temperature = 1.5f, .top_n_sigma = 1.5f},
      sampling_params{.seed = 4, .temperature = 0.9f, .p_less = true},
      sampling_params{.seed = 5, .typical_p = 0.9f, .draw = sluice::draw_method::softmax},
      sampling_params{.seed = 6, .top_k = 100, .xtc_probability = 0.5f, .xtc_threshold = 0.02f},
      sampling_params{.seed = 7,
                      .top_p = 0.9f,
                      .repetition_penalty = 1.2f,
                      .frequency_penalty = 0.3f,
                      .presence_penalty = 0.2f},
      sampling_params{.seed = 8, .top_k = 4, .dry_multiplier = 0.8f, .dry_allowed_length = 1},
      sampling_params{
          .seed = 9, .scatter_strength = 0.3f, .scatter_adaptive = true, .scatter_absorption = 0.06f},
      sampling_params{.seed = 10,
                      .dynatemp_range = 0.5f,
                      .top_p = 0.8f,
                      .min_p = 0.01f,
                      .truncation = sluice::truncation_rule::joint},
  };
}
