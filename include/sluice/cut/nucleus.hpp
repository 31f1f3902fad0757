#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/cut/by_mass.hpp>
#include <sluice/cut/mass_bounds.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Top-k, top-p and min-p as they judge one row together: a token must pass all of them. Each is off at its
/// default.
struct nucleus {
  int top_k = 0;
  float top_p = 1;
  float min_p = 0;
  int top_p_min_keep = 0, min_p_min_keep = 0;
};

}  // namespace sluice::inline v1

namespace sluice::inline v1::inline SLUICE_ISA::cut {

SLUICE_IEEE_BEGIN

/// The logit that min-p asks for.
inline double min_p_logit(row& r, float p) noexcept { return double(r.max()) + kernel::ln(double(p)); }

/// The last key that top-k and min-p leave; 0 where both are off.
inline kernel::rank_key last_beside_mass(row& r, const nucleus& n) noexcept {
  kernel::rank_key last = 0;
  if (n.min_p > 0) last = last_at_least(r, min_p_logit(r, n.min_p), n.min_p_min_keep);
  if (n.top_k > 0 && std::size_t(n.top_k) < r.size())
    last = std::max(last, last_of_first(r, std::size_t(n.top_k)));
  return last;
}

/// Keeps what all of them leave: the shortest of the prefixes.
inline void keep_nucleus(row& r, const nucleus& n) noexcept {
  kernel::rank_key last = last_beside_mass(r, n);
  if (n.top_p < 1) last = std::max(last, last_of_mass(r, kernel::fraction(n.top_p), n.top_p_min_keep));
  keep_from(r, last);
}

/// Whether a token is in the nucleus of mass p of a row as it stands: fewer than min_keep tokens rank before
/// it, or their mass is below the needed one. Cheap bounds decide nearly always; an undecided token pays the
/// exact masses.
class nucleus_test {
 public:
  nucleus_test(row& r, float p, int min_keep) noexcept
      : row_(r), blocks_(detail::row_internals::blocks(r)), p_(p), bounds_(r, p), max_(double(r.max())) {
    const std::size_t least = min_keep > 1 ? std::min(std::size_t(min_keep), r.size()) : 1;
    kept_ = least > 1 ? last_of_first(r, least) : kernel::key_of(r.max(), r.argmax());
  }

  /// A key that is cheap to test and ranks low: few blocks reach it.
  kernel::rank_key first_pivot() const noexcept {
    float best[few_blocks] = {};  // descending
    std::size_t count = 0;
    for (const kernel::block& block : blocks_.table()) {
      if (!(block.max >= blocks_.threshold()) || (count == few_blocks && !(block.max > best[few_blocks - 1])))
        continue;
      std::size_t at = count < few_blocks ? count++ : few_blocks - 1;
      for (; at > 0 && best[at - 1] < block.max; --at) best[at] = best[at - 1];
      best[at] = block.max;
    }
    return count == few_blocks ? kernel::key_of(best[few_blocks - 1], 0) : 0;
  }

  /// The last key that min_keep holds on to, at least that of the argmax.
  kernel::rank_key kept_by_min_keep() const noexcept { return kept_; }

  bool operator()(kernel::rank_key key) const noexcept {
    if (key >= kept_) return true;
    const float logit = kernel::logit_of(key);
    const side found = blocks_.blocks_reaching(logit) <= few_blocks ? in_few_blocks(key) : bounds_.at(logit);
    return found != side::unknown ? found == side::inside : mass_before(key) < need();
  }

  /// The lowest key that is inside: the cut, by halving the interval of keys.
  kernel::rank_key last_inside() const noexcept {
    // Below all finite logits, above the keys that -inf and NaN would have.
    kernel::rank_key low = last_with(kernel::lowest) - 1;
    kernel::rank_key high = kept_;
    while (high - low > 1) {
      const kernel::rank_key middle = low + (high - low) / 2;
      ((*this)(middle) ? high : low) = middle;
    }
    return high;
  }

 private:
  static constexpr std::size_t few_blocks = 16;

  std::uint64_t need() const noexcept {
    if (need_ == 0) need_ = kernel::needed_mass(p_, row_.total_mass());
    return need_;
  }

  std::uint64_t mass_before(kernel::rank_key key) const noexcept {
    const kernel::table& kernels = blocks_.kernels();
    const kernel::block* const table = blocks_.widened(kernel::logit_of(key));
    const std::size_t count = blocks_.block_count();
    const float logit = kernel::logit_of(key), above = kernel::next_up(logit);
    std::uint64_t mass = kernels.mass(table, count, above, max_).total;
    if (kernels.count(table, count, logit) - kernels.count(table, count, above) == 1) return mass;
    kernel::each_token(table, count, logit, [&](token_id id, float other) {
      if (other == logit && kernel::key_of(other, id) > key) mass += kernel::mass(double(logit) - max_);
    });
    return mass;
  }

  /// Where few blocks hold all that ranks before the key: their masses exactly, the others' approximately,
  /// which hardly counts beside them.
  side in_few_blocks(kernel::rank_key key) const noexcept {
    const float logit = kernel::logit_of(key);
    std::uint64_t reaching = 0;
    for (const kernel::block& block : blocks_.table())
      if (block.max >= logit)
        reaching += blocks_.kernels().mass(&blocks_.widened(block), 1, blocks_.present(), max_).total;
    constexpr double slack = 1e-9;
    const double before = double(mass_before(key)), p = double(p_), exact = double(reaching);
    if (before < p * exact * (1 - slack)) return side::inside;
    approximate_masses& masses = bounds_.masses();
    const double others = (masses.total() - masses.from(logit).visited) * kernel::mass_one;
    const double error = masses.total() * (kernel::mass_one * sum_error);
    if (before < p * (exact + (others - error) / (approx_spread * approx_slack)) * (1 - slack))
      return side::inside;
    if (before > p * (exact + (others + error) * approx_slack) * (1 + slack)) return side::outside;
    return side::unknown;
  }

  row& row_;
  const row_blocks& blocks_;
  float p_;
  mutable nucleus_bounds bounds_;
  double max_;
  kernel::rank_key kept_ = 0;
  mutable std::uint64_t need_ = 0;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::cut

#include <sluice/macros_back.inc>
