#pragma once

#include <cstddef>
#include <cstdint>

#include <sluice/kernel/block.hpp>
#include <sluice/kernel/math.hpp>
#include <sluice/kernel/rank.hpp>
#include <sluice/kernel/widen.hpp>
#include <sluice/random.hpp>

// The whole-row operations: their contract. A call does a whole row of work, and only pointers
// and scalars cross. Every tier gives the same bits, bounds apart. "Present" tokens are those with l >=
// floor; NaN, -inf and tokens below the floor are none. A floor of -inf promises that every token is present.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// What the first pass over a row met: a NaN; and whether every logit is finite (false where their sum
/// overflows, too).
struct row_content {
  bool nan = false, whole = false;
};

/// One pass of float sums about `shift`: d = l - shift, in the one order.
struct fast_moments {
  std::size_t count = 0;
  double sum = 0, squares = 0;
};

/// Sum of the masses m_i under `max`, and of m_i (l_i - max) in the one order.
struct mass_sums {
  std::uint64_t total = 0;
  double weighted = 0;
};

/// With e = 2^(c (l - max)): sum e and sum e (e - 1), in the one order, float inside a block.
struct agreement {
  std::size_t count = 0;
  double sum = 0, excess = 0;
};

/// Sums of S, e^x <= S <= 1.0615 e^x with x = l - max, 7e-5 relative of rounding apart, tokens below x = -80
/// as if they stood there; in any order. Over the tokens that reach a logit (-inf: all), and over all tokens
/// of the blocks that do. How many tokens tie with it.
struct rough_mass {
  double reached = 0, visited = 0;
  std::size_t ties = 0;
};

struct table {
  /// 16-bit logits as floats, exactly.
  void (*widen)(const std::uint16_t* row, std::size_t size, logit_type type, float* out) noexcept;
  /// The blocks of a dense row of 16-bit logits and their maxima. The blocks' logits are not widened yet:
  /// null.
  row_content (*index_narrow)(const std::uint16_t* row, std::size_t size, logit_type type,
                              block* out) noexcept;
  /// The blocks of a dense row and their maxima.
  row_content (*index)(const float* row, std::size_t size, block* out) noexcept;
  /// Values at or above `least`. NaN is none.
  std::size_t (*count_at_least)(const float* values, std::size_t size, float least) noexcept;
  /// Keys of the tokens with least <= l < below, in the order of ids; how many. Nothing is written past
  /// them.
  std::size_t (*collect)(const block* blocks, std::size_t count, float least, float below,
                         rank_key* out) noexcept;
  /// Tokens at or above `least`.
  std::size_t (*size)(const block* blocks, std::size_t count, float least) noexcept;
  fast_moments (*moments)(const block* blocks, std::size_t count, float floor, float shift) noexcept;
  /// `mass` leaves `weighted` at 0.
  mass_sums (*mass)(const block* blocks, std::size_t count, float floor, double max) noexcept;
  mass_sums (*weighted_mass)(const block* blocks, std::size_t count, float floor, double max) noexcept;
  agreement (*agree)(const block* blocks, std::size_t count, float floor, float max, float c) noexcept;
  rough_mass (*rough)(const block* blocks, std::size_t count, float floor, float least, float max) noexcept;
  /// For blocks by number: a bound on the Gumbel noise of their smallest exponential (head_bound), and the
  /// place of the token that has it. The bound's bits may differ between tiers.
  void (*heads)(const std::uint32_t* numbers, std::size_t count, random::source from, float* bounds,
                std::uint8_t* places) noexcept;
  /// For blocks by number: their smallest exponentials.
  void (*smallest)(const std::uint32_t* numbers, std::size_t count, random::source from,
                   double* exponentials) noexcept;
  /// What the exponentials of tokens have above their block's smallest.
  void (*tails)(const std::uint32_t* tokens, std::size_t count, random::source from,
                double* exponentials) noexcept;
  /// Gumbel noise from exponentials: -ln E.
  void (*gumbels)(const double* exponentials, std::size_t count, double* noise) noexcept;
};

SLUICE_IEEE_BEGIN

/// A bound on -ln(-ln(u) / 256) from the upper 32 bits of u: -ln u >= 2 (1 - u) / (1 + u), and ln x is at
/// most the chord of its binade plus .0861 ln 2. The slack covers the rounding of floats. Too high by at most
/// .1 for u >= 1/2 (.8 where 1 - u <= 2^-25), 1.4 for u > 2^-11, 3 below.
inline float head_bound(std::uint32_t word) noexcept {
  const float rest = float(std::int32_t(~word >> 1));  // (1 - u) 2^31, rounded down
  if (rest == 0) return 50.0f;  // 1 - u is known to be positive, no more; the noise reaches 42.3
  const float v = rest * 0x1p-31f;
  const float ratio = (2.0f - v) / (2.0f * v);
  const float chord = float(std::bit_cast<std::int32_t>(ratio)) * (0x1p-23f * 0.69314718f);
  return chord + (5.5451774f - (127 - 0.0861f) * 0.69314718f + 2e-4f);
}

/// Adding and subtracting it rounds a float of magnitude below 2^22 to the nearest integer.
inline constexpr float nearest = 12582912.0f;  // 1.5 * 2^23

/// (2^f - 1) / f in float: six constants, Chebyshev nodes on [-1/2, 1/2].
template <class Floats>
inline Floats exp2f_quotient(const Floats& f) noexcept {
  const Floats f2 = f * f;
  return ((0x1.62e43p-1f + 0x1.ebfbep-3f * f) + f2 * (0x1.c6af6cp-5f + 0x1.3b2a54p-7f * f)) +
         (f2 * f2) * (0x1.5f089p-10f + 0x1.44138ap-13f * f);
}

/// 2^t = 2^whole (1 + fraction) in float, fraction within 2^-22 of 2^f - 1 relative, |t| < 2^21.
struct float_power {
  std::int32_t whole;
  float fraction;
};
inline float_power split_exp2f(float t) noexcept {
  constexpr float magic = 12582912.0f;  // 1.5 * 2^23
  const float shifted = t + magic;
  const float f = t - (shifted - magic);
  return {std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(nearest), f * exp2f_quotient(f)};
}

/// The exponents of `agree` stop here: what lies deeper counts as if it stood here.
inline constexpr float agreement_floor = -92;
inline float agreement_exponent(float logit, float max, float c) noexcept {
  const float t = (logit - max) * c;
  return t > agreement_floor ? t : agreement_floor;
}

/// S(x): e^x by the chords of its binades, its bits a straight line.
inline constexpr float rough_floor = -80, rough_slope = 0x1p23f * 1.44269504f, rough_one = 0x1.fcp29f;
inline constexpr float near_max = 32, near_slope = 0x1p15f * 1.44269504f;
inline float rough_exp(float logit, float max) noexcept {
  const float x = logit - max;
  return std::bit_cast<float>(std::int32_t((x > rough_floor ? x : rough_floor) * rough_slope + rough_one));
}

/// 16-bit floats as signed integers in their order, NaN among the infinities. Its own inverse.
inline std::int16_t ordered16(std::uint16_t bits) noexcept {
  const auto value = std::int16_t(bits);
  return std::int16_t(value ^ (value < 0 ? 0x7fff : 0));
}
/// The bits of +inf.
constexpr std::int16_t infinity16(logit_type type) noexcept {
  return type == logit_type::f16 ? 0x7c00 : 0x7f80;
}

SLUICE_IEEE_END

}  // namespace sluice::v1::SLUICE_ISA::kernel
