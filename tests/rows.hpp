// The shapes of rows that the rules are tried on.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

namespace tests {

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
inline constexpr float plus_infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

enum class shape {
  gaussian,
  peaked,
  ties,
  holes,
  constant,
  two_values,
  grid,
  sorted,
  giants,
  far,
  subnormal
};

/// What the rules are tried on: rows whose probabilities a model could give.
inline constexpr std::array all_shapes{shape::gaussian, shape::peaked,     shape::ties, shape::holes,
                                       shape::constant, shape::two_values, shape::grid};

/// And rows that strain arithmetic: where engines are compared with each other, and not with probabilities.
inline constexpr std::array every_shape{shape::gaussian, shape::peaked,     shape::ties,     shape::holes,
                                        shape::constant, shape::two_values, shape::grid,     shape::sorted,
                                        shape::giants,   shape::far,        shape::subnormal};

inline std::string to_text(shape kind) {
  constexpr std::array names{"gaussian", "peaked", "ties",   "holes", "constant", "two values",
                             "grid",     "sorted", "giants", "far",   "subnormal"};
  return names[static_cast<std::size_t>(kind)];
}

/// A size in [1, 4096], its logarithm uniform, with the sizes around a block met often.
inline std::size_t random_size(generator& g) {
  constexpr std::array<std::size_t, 8> edges{1, 2, 3, 255, 256, 257, 512, 4096};
  if (g.chance(0.1)) return g.pick(edges);
  return std::min<std::size_t>(4096, static_cast<std::size_t>(std::exp2(g.uniform(0.0, 12.0))));
}

/// A row of `size` logits, at least one of them finite, none of them NaN or +inf.
///   gaussian    N(0, sigma), sigma from .1 to 8
///   peaked      N(0, 2.5) and a few tokens at 14 to 21
///   ties        whole and half numbers from -3 to 3
///   holes       gaussian with up to nine tenths at -inf
///   constant    one value everywhere
///   two_values  two values, any share of each
///   grid        multiples of 2^-10 in [-8, 8]: integer shifts are exact
///   sorted      gaussian, ascending
///   giants      gaussian, and one to three tokens anywhere up to 3e38
///   far         neighbouring floats about +-2^18 to 2^25: they lie .03 to 4 apart, so ties are heavy
///   subnormal   multiples of 2^-149, some of them zeros of either sign
inline std::vector<float> make_row(generator& g, shape kind, std::size_t size) {
  std::vector<float> row(size);
  const double sigma = std::exp(g.uniform(std::log(0.1), std::log(8.0)));
  const auto gaussian = [&] { return static_cast<float>(sigma * g.gaussian()); };
  switch (kind) {
    case shape::gaussian:
      std::generate(row.begin(), row.end(), gaussian);
      break;
    case shape::peaked:
      for (float& l : row) l = static_cast<float>(2.5 * g.gaussian());
      for (std::size_t i = std::min<std::size_t>(size, 8); i > 0; --i)
        row[g.below(size)] = static_cast<float>(g.uniform(14.0, 21.0));
      break;
    case shape::ties:
      for (float& l : row) l = 0.5f * static_cast<float>(g.between(-6, 6));
      break;
    case shape::holes: {
      const double share = g.uniform(0.0, 0.9);
      for (float& l : row) l = g.chance(share) ? minus_infinity : gaussian();
      row[g.below(size)] = gaussian();
      break;
    }
    case shape::constant:
      std::fill(row.begin(), row.end(), gaussian());
      break;
    case shape::two_values: {
      const float a = gaussian();
      const float b = gaussian();
      const double share = g.uniform();
      for (float& l : row) l = g.chance(share) ? a : b;
      break;
    }
    case shape::grid:
      for (float& l : row) l = static_cast<float>(g.between(-8192, 8192)) * 0x1p-10f;
      break;
    case shape::sorted:
      std::generate(row.begin(), row.end(), gaussian);
      std::sort(row.begin(), row.end());
      break;
    case shape::giants:
      std::generate(row.begin(), row.end(), gaussian);
      for (std::size_t i = 1 + g.below(3); i > 0; --i)
        row[g.below(size)] = static_cast<float>(std::exp(g.uniform(0.0, 88.0)));
      break;
    case shape::far: {
      const int exponent = g.between(18, 25);
      const double base = std::ldexp(g.chance(0.5) ? 1.25 : -1.25, exponent);
      const double step = std::ldexp(1.0, exponent - 23);
      const double steps = g.uniform(0.3, 12);
      for (float& l : row) l = static_cast<float>(base + step * std::round(steps * g.gaussian()));
      break;
    }
    case shape::subnormal:
      for (float& l : row)
        l = g.chance(0.1) ? (g.chance(0.5) ? 0.0f : -0.0f)
                          : static_cast<float>(g.between(-(1 << 22), 1 << 22)) * 0x1p-149f;
      break;
  }
  return row;
}

inline std::vector<float> make_row(generator& g) { return make_row(g, g.pick(all_shapes), random_size(g)); }

/// Tokens of a vocabulary of `size`, few letters or many, so that windows hold repeats.
inline std::vector<int> make_history(generator& g, std::size_t size, std::size_t length) {
  const std::size_t letters = std::min<std::size_t>(size, 1 + g.below(g.chance(0.5) ? 4 : 64));
  const std::size_t first = g.below(size - letters + 1);
  std::vector<int> tokens(length);
  for (int& token : tokens) token = static_cast<int>(first + g.below(letters));
  return tokens;
}

/// The row as it can be pasted into a test, cut after 24 values.
inline std::string to_text(std::span<const float> row) {
  std::ostringstream out;
  out.precision(9);
  out << row.size() << " logits {";
  for (std::size_t i = 0; i < row.size() && i < 24; ++i) out << (i == 0 ? "" : ", ") << row[i];
  out << (row.size() > 24 ? ", ...}" : "}");
  return out.str();
}

}  // namespace tests
