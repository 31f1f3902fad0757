#pragma once

#include <sluice/params/check.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>

namespace sluice::inline v1 {

/// Locally typical sampling (Meister et al., arXiv 2202.00666): in the order of |-ln p - H|, which is
/// |l - sum p l|, keeps the shortest prefix with mass >= p. Equal distances fall by rank.
/// p in (0, 1]; 1 is off. min_keep: at least so many stay. The best token may go. -inf and NaN are absent.
/// Cost: masses, their weighted mean, and a cut.
struct typical_p {
  static constexpr place where = place::typical_p;
  float p = 1;
  int min_keep = 0;

  problem check() const {
    return detail::first_problem(detail::check_field("typical_p", p),
                                 detail::check_field("min_keep", min_keep));
  }
  bool active() const noexcept { return p < 1; }
  void operator()(row& r) const noexcept { r.keep_nearest(r.expectation(), p, min_keep); }
};
static_assert(row_stage<typical_p>);

}  // namespace sluice::inline v1
