#pragma once

#include <sluice/cut/by_distance.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Locally typical sampling (Meister et al., arXiv 2202.00666): in the order of |-ln p - H|, which is
/// |l - sum p l|, keeps the shortest prefix with mass >= p. Equal distances fall by rank.
/// p in (0, 1]; 1 is off. min_keep: at least so many stay. The best token may go. -inf and NaN are absent.
/// Cost: masses, their weighted mean, and a cut.
struct typical_p {
  static constexpr place where = place::typical_p;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"typ_p", 'y', "typical_p", "typical"};
  float p = 1;
  int min_keep = 0;

  static constexpr auto parameters =
      std::tuple{parameter{"typical_p", &typical_p::p, &sampling_params::typical_p,
                           real_range{.low = 0, .high = 1, .low_end = bound::open}},
                 parameter{"min_keep", &typical_p::min_keep, &sampling_params::min_keep, detail::from_zero}};

  bool active() const noexcept { return p < 1; }
  void operator()(row& r) const noexcept { r.keep_nearest(r.expectation(), p, min_keep); }
};
static_assert(row_stage<typical_p>);

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
