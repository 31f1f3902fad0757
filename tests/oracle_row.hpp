// The row of the oracle: the tokens that are left, their ranking and their integer masses, and how near the
// decisions so far came to their cuts. Written from the definitions alone; everything is sorted and looped
// over.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tests::oracle {

using real = long double;
inline constexpr real infinite = std::numeric_limits<real>::infinity();
__extension__ typedef unsigned __int128 wide;

struct token {
  int id = -1;
  float logit = 0;
  friend bool operator==(const token&, const token&) = default;
};

/// The one total order: logit descending, id ascending. -0 equals +0.
inline bool ranks_before(const token& a, const token& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

struct row {
  std::vector<token> tokens;  // what is left, ids ascending, every logit finite
  real distance = infinite;   // of the nearest decision to its cut, relative; 0 would be on the cut

  std::size_t size() const { return tokens.size(); }

  float max() const {
    float result = tokens.front().logit;
    for (const token& t : tokens) result = std::max(result, t.logit);
    return result;
  }

  /// All logits are equal: every decision about such a row is exact.
  bool is_constant() const {
    return std::all_of(tokens.begin(), tokens.end(),
                       [&](token t) { return t.logit == tokens.front().logit; });
  }

  /// Takes note of a comparison of `value` with `cut`, in units of `scale`.
  void judged(real value, real cut, real scale) {
    if (scale > 0) distance = std::min(distance, std::fabs(value - cut) / scale);
  }
};

inline std::vector<token> ranked(const row& r) {
  std::vector<token> order = r.tokens;
  std::sort(order.begin(), order.end(), ranks_before);
  return order;
}

/// Keeps the first `count` tokens of `order`.
inline void keep_prefix(row& r, std::vector<token> order, std::size_t count) {
  order.resize(std::min(count, order.size()));
  std::sort(order.begin(), order.end(), [](token a, token b) { return a.id < b.id; });
  r.tokens = std::move(order);
}

/// A float from arithmetic on finite logits: rounded once, at most FLT_MAX in size.
inline float saturated(real value) {
  constexpr real limit = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -limit, limit));
}

/// m = round(2^44 exp(l - max)) of each token, and M, their sum.
struct masses {
  std::vector<std::uint64_t> of;
  std::uint64_t total = 0;
};

inline real exponential_of_gap(float logit, float max) { return std::exp(real(logit) - real(max)); }

inline masses masses_of(const std::vector<token>& tokens) {
  float max = -std::numeric_limits<float>::max();
  for (const token& t : tokens) max = std::max(max, t.logit);
  masses result;
  for (const token& t : tokens) {
    const real scaled = std::ldexp(exponential_of_gap(t.logit, max), 44);
    result.of.push_back(static_cast<std::uint64_t>(std::round(scaled)));
    result.total += result.of.back();
  }
  return result;
}

/// True where every mass is 2^44, or 0 beyond doubt: sums of such masses are exact whatever exp is used.
inline bool masses_are_exact(const std::vector<token>& tokens) {
  float max = -std::numeric_limits<float>::max();
  for (const token& t : tokens) max = std::max(max, t.logit);
  return std::all_of(tokens.begin(), tokens.end(),
                     [&](token t) { return t.logit == max || real(max) - real(t.logit) > 32; });
}

/// floor(p * M) and whether a remainder was cut off, p the exact value of a float in [0, 1].
struct product {
  std::uint64_t whole = 0;
  bool remainder = false;
};

inline product times(float p, std::uint64_t total) {
  if (p == 0) return {};
  int exponent = 0;
  const float fraction = std::frexp(p, &exponent);  // p = fraction * 2^exponent
  const wide mantissa = static_cast<wide>(std::ldexp(fraction, 24));
  const int shift = 24 - exponent;  // p = mantissa * 2^-shift, shift >= 23
  const wide exact = mantissa * total;
  if (shift >= 100) return {0, true};
  return {static_cast<std::uint64_t>(exact >> shift), (exact & ((wide{1} << shift) - 1)) != 0};
}

/// The least whole mass that is >= p * M, at least 1.
inline std::uint64_t needed(float p, std::uint64_t total) {
  const product exact = times(p, total);
  return std::max<std::uint64_t>(1, exact.whole + (exact.remainder ? 1 : 0));
}

/// The length of the shortest prefix of `order` with mass >= p * M.
inline std::size_t prefix_with_mass(row& r, const std::vector<token>& order, float p) {
  const masses m = masses_of(order);
  const std::uint64_t need = needed(p, m.total);
  const real cut = real(p) * real(m.total);
  const bool exact = masses_are_exact(order);
  std::uint64_t mass = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!exact && i > 0) r.judged(real(mass), cut, cut);
    mass += m.of[i];
    if (!exact && i + 1 < order.size()) r.judged(real(mass), cut, cut);
    if (mass >= need) return i + 1;
  }
  return order.size();
}

}  // namespace tests::oracle
