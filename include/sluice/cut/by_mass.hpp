#pragma once

// Cuts by mass: the shortest prefix of an order whose mass is at least p * M.
//   sort     everything is put in order, then cut: the reference
//   select   without a sort: a bracket by approximate masses, then halves of what is open are weighed exactly
// Masses are integers and p is the exact value of its float, so all ways give the same token.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/cut/by_rank.hpp>
#include <sluice/cut/mass_bounds.hpp>
#include <sluice/kernel/arithmetic/exact_fraction.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::cut {

SLUICE_IEEE_BEGIN

/// The masses of keys' tokens under a given maximum: of one, and the sum of many.
class mass_under {
 public:
  mass_under(const kernel::table& kernels, double max) noexcept : kernels_(kernels), max_(max) {}
  std::uint64_t operator()(kernel::rank_key key) const noexcept {
    return kernel::mass(double(kernel::logit_of(key)) - max_);
  }
  std::uint64_t operator()(std::span<const kernel::rank_key> keys) const noexcept {
    float logits[detail::block_size];
    std::uint64_t total = 0;
    for (std::size_t first = 0; first < keys.size(); first += detail::block_size) {
      const kernel::block part{.logits = logits,
                               .count = std::uint32_t(std::min(detail::block_size, keys.size() - first)),
                               .max = float(max_)};
      for (std::size_t i = 0; i < part.count; ++i) logits[i] = kernel::logit_of(keys[first + i]);
      total += kernels_.mass(&part, 1, kernel::infinite(-1), max_).total;
    }
    return total;
  }

 private:
  const kernel::table& kernels_;
  double max_;
};

/// The last key of the shortest prefix that weighs at least `need`; the last of all if there is none. `keys`
/// is not empty.
template <class Before>
SLUICE_COLD kernel::rank_key by_sorting(std::span<kernel::rank_key> keys, std::uint64_t need, Before before,
                                        const mass_under& mass) noexcept {
  before.sort(keys);
  std::uint64_t sum = 0;
  for (const kernel::rank_key key : keys)
    if ((sum += mass(key)) >= need) return key;
  return keys.back();
}

/// The same: halve the keys about their median, weigh the half that comes first, and go on in the half that
/// the cut lies in. Linear in the keys.
template <class Before>
SLUICE_NEVER_INLINE kernel::rank_key by_halving(std::span<kernel::rank_key> keys, std::uint64_t need,
                                                Before before, const mass_under& mass) noexcept {
  std::uint64_t passed = 0;
  while (keys.size() > 1) {
    const std::size_t half = keys.size() / 2;
    before.first(keys, half + 1);
    const std::uint64_t first = mass(std::span<const kernel::rank_key>(keys.first(half)));
    if (passed + first >= need) {
      keys = keys.first(half);
    } else {
      passed += first;
      keys = keys.subspan(half);
    }
  }
  return keys[0];
}

template <class Before>
inline kernel::rank_key cut_keys(row& r, std::span<kernel::rank_key> keys, std::uint64_t need,
                                 Before before) noexcept {
  const mass_under mass(detail::row_internals::blocks(r).kernels(), double(r.max()));
  return detail::row_internals::engine(r) == truncation_engine::sort ? by_sorting(keys, need, before, mass)
                                                                     : by_halving(keys, need, before, mass);
}

/// The cut of all survivors, in any order: the last key of the shortest prefix with mass >= p * M that has
/// min_keep tokens.
template <class Before>
inline kernel::rank_key cut_all(row& r, Before before, float p, int min_keep) noexcept {
  const std::uint64_t need = kernel::needed_mass(p, r.total_mass());
  const std::span<kernel::rank_key> all = keys_in(detail::row_internals::blocks(r), kernel::lowest);
  const kernel::rank_key last = cut_keys(r, all, need, before);
  if (min_keep <= 1) return last;
  const std::size_t kept = std::min(std::size_t(min_keep), all.size());
  before.first(all, kept);
  return before(last, all[kept - 1]) ? all[kept - 1] : last;
}

/// Rows below this are cut without a bracket.
inline constexpr std::size_t bracketed_row = 1024;

inline bool cuts_all(row& r, float p) noexcept {
  return detail::row_internals::engine(r) == truncation_engine::sort ||
         detail::row_internals::blocks(r).is_list() || r.vocab_size() < bracketed_row || p >= 1;
}

/// The last key of the nucleus of mass p. Approximate masses decide on which side of the cut a logit stands,
/// until they cannot; exact ones decide between.
SLUICE_NEVER_INLINE kernel::rank_key last_of_mass(row& r, float p, int min_keep) noexcept {
  if (cuts_all(r, p)) return cut_all(r, before_by_rank{}, p, min_keep);
  const row_blocks& blocks = detail::row_internals::blocks(r);
  nucleus_bounds bounds(r, p);
  float inside = r.max();
  float outside = std::max(float(double(inside) - 2 * kernel::mass_reach), blocks.threshold());
  for (int round = 0; round < 24; ++round) {
    const float middle = float(0.5 * double(inside) + 0.5 * double(outside));
    if (!(middle < inside && middle > outside)) break;
    const side found = bounds.at(middle);
    if (found == side::unknown) break;
    (found == side::inside ? inside : outside) = middle;
  }
  const std::uint64_t need = kernel::needed_mass(p, r.total_mass());
  const std::uint64_t sure =
      blocks.kernels().mass(blocks.widened(inside), blocks.block_count(), inside, double(r.max())).total;
  auto* const out = blocks.scratch().take<kernel::rank_key>(r.vocab_size());
  // Where what is surely inside has the needed mass, the cut lies among the tokens that tie with its last
  // one.
  const bool among_best = sure >= need;
  const std::span<kernel::rank_key> open(
      out, blocks.kernels().collect(blocks.widened(outside), blocks.block_count(), outside,
                                    among_best ? kernel::infinite(1).value : inside, out));
  const kernel::rank_key last =
      open.empty() ? last_with(inside) : cut_keys(r, open, among_best ? need : need - sure, before_by_rank{});
  return min_keep <= 1 ? last : std::min(last, last_kept(r, min_keep));
}

/// The tokens with m_i > fraction * M, in rank order, in the scratch memory. A heavy token stands high: only
/// those are weighed.
SLUICE_NEVER_INLINE std::span<candidate> heavier_than(row& r, float fraction) noexcept {
  const std::uint64_t limit = kernel::floor_product(kernel::fraction(fraction), r.total_mass());
  const mass_under mass(detail::row_internals::blocks(r).kernels(), double(r.max()));
  constexpr double slack = 1e-6;  // nats, beyond what the exponential errs
  const double depth = kernel::ln((double(limit) + 0.5) / kernel::mass_one) - slack;
  std::span<kernel::rank_key> keys =
      keys_in(detail::row_internals::blocks(r), kernel::at_most(double(r.max()) + depth));
  const auto light =
      std::partition(keys.begin(), keys.end(), [&](kernel::rank_key key) { return mass(key) > limit; });
  keys = keys.first(std::size_t(light - keys.begin()));
  sort_by_rank(keys);
  return scratch::to_candidates(keys);
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::cut

namespace sluice::inline v1::inline SLUICE_ISA {

inline void row::keep_mass(float p, int min_keep) noexcept {
  reference();
  if (!empty()) cut::keep_from(*this, cut::last_of_mass(*this, kernel::fraction(p), min_keep));
}

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
