#pragma once

#include <cstddef>
#include <cstdint>

#include <sluice/kernel/arithmetic/rank_key.hpp>
#include <sluice/kernel/block.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

// The contract of the kernels: the operations over a whole row. A call does a row of work, and only pointers
// and scalars cross. Every tier gives the same bits, but where a bound or an approximation is all that is
// promised.
//
// Of blocks a kernel sees the present tokens: those with l >= threshold. NaN, -inf and what lies below are
// absent. A threshold of -inf promises that every token is present, so that none need be compared. No blocks:
// all results are 0. Logits are finite or absent, `max` is finite and at least every present logit; pointers
// are as aligned as their types, those of 16-bit rows at any address. Sums "in the one order" are those of
// lanes.hpp.

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// What the first pass over a row met.
struct row_content {
  bool nan = false;
  bool all_finite = false;  ///< of logits; may be false too where their sum overflows
};

/// With d = l - shift, in the one order, float inside a block.
struct fast_moments {
  std::size_t count = 0;
  double sum = 0, squares = 0;  ///< of d, of d^2
};

/// With the masses m_i under `max` (arithmetic/mass.hpp).
struct mass_sums {
  std::uint64_t total = 0;  ///< of m_i, exact
  double weighted = 0;      ///< of m_i (l_i - max), in the one order
};

/// With e = 2^(c (l - max)), in the one order, float inside a block.
struct collision_sums {
  std::size_t count = 0;
  double sum = 0, excess = 0;  ///< of e, of e (e - 1)
};

/// Sums of S, e^x <= S <= 1.0615 e^x with x = l - max, 7e-5 relative of rounding apart, tokens below x = -80
/// as if they stood there; in any order.
struct approx_masses {
  double reached = 0;    ///< over the tokens with l >= pivot
  double visited = 0;    ///< over all tokens of the blocks that have such
  std::size_t ties = 0;  ///< tokens with l == pivot
};

struct table {
  /// 16-bit logits as floats, exactly; NaN stays NaN.
  void (*widen)(const std::uint16_t* row, std::size_t size, logit_type type, float* out) noexcept;
  /// The blocks of a dense row of 16-bit logits and their maxima. The blocks' logits are not widened yet:
  /// null. Where the row holds a NaN the maxima mean nothing. An empty row has no blocks.
  row_content (*index_narrow)(const std::uint16_t* row, std::size_t size, logit_type type,
                              block* out) noexcept;
  /// The blocks of a dense row and their maxima, which pass over NaN; -inf where no logit is above it.
  row_content (*index)(const float* row, std::size_t size, block* out) noexcept;
  /// Values at or above `least`. NaN is none.
  std::size_t (*count_at_least)(const float* values, std::size_t size, float least) noexcept;
  /// Keys of the tokens with threshold <= l < below, in the order of ids; how many. Nothing is written past
  /// them.
  std::size_t (*collect)(const block* blocks, std::size_t count, float threshold, float below,
                         rank_key* out) noexcept;
  /// Present tokens.
  std::size_t (*count)(const block* blocks, std::size_t count, float threshold) noexcept;
  fast_moments (*moments)(const block* blocks, std::size_t count, float threshold, float shift) noexcept;
  /// The total alone; `weighted` stays 0.
  mass_sums (*mass)(const block* blocks, std::size_t count, float threshold, double max) noexcept;
  mass_sums (*weighted_mass)(const block* blocks, std::size_t count, float threshold, double max) noexcept;
  collision_sums (*collision)(const block* blocks, std::size_t count, float threshold, float max,
                              float c) noexcept;
  /// A pivot of -inf is reached by all.
  approx_masses (*approx_mass)(const block* blocks, std::size_t count, float threshold, float pivot,
                               float max) noexcept;
  /// For blocks by number: a bound on the Gumbel noise of their smallest exponential (how near:
  /// arithmetic/minimum_bound.inc), and the slot of the token that has it. The bound's bits may differ
  /// between tiers.
  void (*minimum_bounds)(const std::uint32_t* numbers, std::size_t count, random::source from, float* bounds,
                         std::uint8_t* places) noexcept;
  /// For blocks by number: their smallest exponentials.
  void (*minima)(const std::uint32_t* numbers, std::size_t count, random::source from,
                 double* exponentials) noexcept;
  /// What the exponentials of tokens have above their block's smallest.
  void (*excesses)(const std::uint32_t* tokens, std::size_t count, random::source from,
                   double* exponentials) noexcept;
  /// Gumbel noise from positive exponentials: -ln E. May be in place.
  void (*gumbels)(const double* exponentials, std::size_t count, double* noise) noexcept;
};

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
