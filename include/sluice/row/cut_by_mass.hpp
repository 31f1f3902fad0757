#pragma once

// Cuts by mass, and the nucleus by rank.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/row/class.hpp>
#include <sluice/row/filter.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

enum class side { inside, outside, unknown };

// On which side of a cut of mass p a prefix ends, by rough masses: with a its mass and r the rest it lacks
// the needed mass iff a < p (a + r). Rough masses are up to 1.0615 too large, the slack covers their
// rounding; their sums run in float inside a block, which errs by less than `rough_error` of the total in a
// difference.
inline constexpr double rough_spread = 1.0616, rough_slack = 1 + 1e-4, rough_error = 2e-6;
inline bool surely_inside(double at_most, double total, double p) noexcept {
  return at_most * (1 - p) * rough_slack < p * (total - at_most - rough_error * total) / rough_spread;
}
inline bool surely_outside(double at_least, double total, double p) noexcept {
  return at_least * (1 - p) / rough_spread > p * (total - at_least + rough_error * total) * rough_slack;
}

/// The rough masses of a row, its total kept.
class rough_masses {
 public:
  explicit rough_masses(row& r) noexcept : row_(r), max_(r.max()) {}

  double total() noexcept {
    if (total_ < 0) total_ = from(kernel::infinite(-1), row_.blocks()).reached;
    return total_;
  }
  kernel::approx_masses from(float logit, std::span<const kernel::block> blocks) const noexcept {
    row_.opened(logit);
    return row_.kernels().approx_mass(blocks.data(), blocks.size(), row_.present(), logit, max_);
  }
  kernel::approx_masses from(float logit) const noexcept { return from(logit, row_.blocks()); }
  /// What tokens that tie with a logit weigh, at most.
  double ties(std::size_t count, float logit) const noexcept {
    return double(count) * double(kernel::schraudolph_exp(logit, max_)) * rough_slack;
  }
  std::span<const kernel::block> blocks() const noexcept { return row_.blocks(); }

 private:
  row& row_;
  float max_;
  double total_ = -1;
};

/// Where logits lie to the nucleus of mass p.
class nucleus_bounds {
 public:
  nucleus_bounds(row& r, float p) noexcept : masses_(r), p_(double(p)) {}

  /// `inside`: every token with l >= logit is; `outside`: every token with l <= logit is.
  side at(float logit) noexcept {
    // Where few blocks reach the logit, what lies below it in them is often enough of a rest.
    std::size_t reaching = 0;
    for (const kernel::block& block : masses_.blocks()) reaching += block.max >= logit;
    if (reaching < masses_.blocks().size() / 4) {
      const kernel::approx_masses s = masses_.from(logit);
      if (surely_inside(s.reached, s.visited, p_)) return side::inside;
    }
    const double total = masses_.total();
    // Or what lies below it in a part of the row.
    const std::span<const kernel::block> all = masses_.blocks(), some = all.first(all.size() / 4);
    const kernel::approx_masses part = masses_.from(logit, some);
    const double rest = part.visited - part.reached - rough_error * part.visited;
    if (rest / rough_spread > (1 - p_) * total * rough_slack) return side::inside;
    const kernel::approx_masses others = masses_.from(logit, all.subspan(some.size()));
    const double reached = part.reached + others.reached;
    if (surely_inside(reached, total, p_)) return side::inside;
    const double above = reached - masses_.ties(part.ties + others.ties, logit);
    return surely_outside(above, total, p_) ? side::outside : side::unknown;
  }

  rough_masses& masses() noexcept { return masses_; }

 private:
  rough_masses masses_;
  double p_;
};

/// The last key, in the order `before`, of the shortest prefix with mass >= p * M that has min_keep tokens.
template <class Before>
inline kernel::rank_key row::cut_by_mass(Before before, float p, int min_keep) noexcept {
  const std::uint64_t need = kernel::needed_mass(p, total_mass());
  const std::span<rank_key> all = keys(kernel::lowest);
  const rank_key last = cut(all, need, before);
  if (min_keep <= 1) return last;
  const auto least = all.begin() + std::ptrdiff_t(std::min(std::size_t(min_keep), all.size()) - 1);
  std::nth_element(all.begin(), least, all.end(), before);
  return before(last, *least) ? *least : last;
}

/// Rows below this are cut without a bracket.
inline constexpr std::size_t short_row = 1024;

inline bool row::cuts_plainly(float p) const noexcept {
  return engine_ == truncation_engine::sort || !dense_ || vocab_ < short_row || p >= 1;
}

/// Rough masses decide on which side of the cut a logit lies, until they cannot; exact ones decide between.
SLUICE_NEVER_INLINE kernel::rank_key row::mass_cut(float p, int min_keep) noexcept {
  if (cuts_plainly(p)) return cut_by_mass(by_rank{}, p, min_keep);
  nucleus_bounds bounds(*this, p);
  float inside = max(), outside = std::max(float(double(inside) - 2 * kernel::mass_reach), floor_);
  for (int round = 0; round < 24; ++round) {
    const float middle = float(0.5 * double(inside) + 0.5 * double(outside));
    if (!(middle < inside && middle > outside)) break;
    const side found = bounds.at(middle);
    if (found == side::unknown) break;
    (found == side::inside ? inside : outside) = middle;
  }
  const std::uint64_t need = kernel::needed_mass(p, total_mass());
  const std::uint64_t sure = kernels_.mass(opened(inside), block_count_, inside, double(max())).total;
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  // Where even the maximum was not settled, the cut may lie among the tokens that tie with it.
  const bool among_best = sure >= need;
  const std::span<rank_key> open(out, kernels_.collect(opened(outside), block_count_, outside,
                                                       among_best ? kernel::infinite(1).value : inside, out));
  const rank_key last = open.empty() ? kernel::key_of(inside, 0) >> 32 << 32
                                     : cut(open, among_best ? need : need - sure, by_rank{});
  return min_keep <= 1 ? last : std::min(last, top_cut(std::min(std::size_t(min_keep), size())));
}

SLUICE_IEEE_END

}  // namespace sluice::v1::SLUICE_ISA
