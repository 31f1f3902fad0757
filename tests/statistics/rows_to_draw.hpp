// Rows to draw from, their laws, and the counting of draws.
#pragma once

#include <sluice/types.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "chi_square.hpp"
#include "rows.hpp"

namespace tests::statistics {

using real = long double;

enum class form { peaked, flat, wide, two_values, masked, geometric };

inline constexpr std::array every_form{form::peaked,     form::flat,   form::wide,
                                       form::two_values, form::masked, form::geometric};

inline std::string to_text(form f) {
  constexpr std::array names{"peaked", "flat", "wide", "two values", "masked", "geometric"};
  return names[std::size_t(f)];
}

struct row_to_draw {
  std::vector<float> logits;
  std::vector<std::uint32_t> mask = {};

  bool present(std::size_t i) const {
    return logits[i] >= -3.4e38f && (mask.empty() || (mask[i / 32] >> (i % 32) & 1) != 0);
  }
};

///   peaked      N(0, 2.5), one token in fifty 4 to 7 higher
///   flat        0 everywhere
///   wide        N(0, 2.5)
///   two values  1 for every third token, else 0
///   masked      N(0, 1), a third banned by the mask and some by -inf
///   geometric   halved from token to token, over and over
inline row_to_draw make_row_to_draw(form f, std::size_t size, std::uint64_t seed) {
  generator g(seed);
  row_to_draw result{std::vector<float>(size, 0.0f)};
  for (std::size_t i = 0; i < size; ++i) {
    float& l = result.logits[i];
    const auto normal = static_cast<float>(g.gaussian());
    if (f == form::peaked || f == form::wide) l = 2.5f * normal;
    if (f == form::peaked && i % 50 == 1) l += 4 + 3 * static_cast<float>(g.uniform());
    if (f == form::two_values) l = i % 3 == 0 ? 1.0f : 0.0f;
    if (f == form::masked) l = i % 7 == 5 ? minus_infinity : normal;
    if (f == form::geometric) l = -0.6931472f * static_cast<float>(i % 24);
  }
  if (f == form::masked) {
    result.mask.assign((size + 31) / 32, 0xffffffff);
    for (std::size_t i = 2; i < size; i += 3) result.mask[i / 32] &= ~(1u << (i % 32));
  }
  return result;
}

/// softmax(l / T) over the tokens that are present.
inline std::vector<double> law_of(const row_to_draw& row, float temperature = 1) {
  std::vector<real> weights(row.logits.size(), 0);
  float max = -std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (row.present(i)) max = std::max(max, row.logits[i]);
  real sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (row.present(i)) sum += weights[i] = std::exp((real(row.logits[i]) - real(max)) / real(temperature));
  std::vector<double> result;
  for (const real w : weights) result.push_back(double(w / sum));
  return result;
}

/// How often `draw(position)` gives each token.
template <class Draw>
std::vector<std::size_t> counts_of(std::size_t size, std::size_t draws, Draw draw) {
  std::vector<std::size_t> counts(size, 0);
  for (std::size_t position = 0; position < draws; ++position) ++counts.at(std::size_t(draw(position)));
  return counts;
}

/// The Gumbel draw by its definition, over any noise(position, token): where faulty noise is put to the test.
template <class Noise>
sluice::token_id largest_score(const row_to_draw& row, float temperature, std::uint64_t position,
                               Noise noise) {
  double best = 0;
  sluice::token_id token = sluice::no_token;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.present(i)) continue;
    const double score = double(row.logits[i]) / double(temperature) + noise(position, std::uint32_t(i));
    if (token >= 0 && !(score > best)) continue;
    best = score;
    token = sluice::token_id(i);
  }
  return token;
}

}  // namespace tests::statistics
