#pragma once

#include <sluice/params/check.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>

namespace sluice::inline v1 {

/// Top-p, the nucleus (Holtzman et al., arXiv 1904.09751): keeps the shortest prefix of the ranking with
/// mass >= p. The token that crosses stays; without the last token the mass is below p.
/// p in [0, 1]; 1 is off, 0 keeps one token. min_keep: at least so many stay. Masses are integers, so ties
/// and sums are exact; ties fall by id. -inf and NaN are absent. Cost: an exact total, and a cut.
struct top_p {
  static constexpr place where = place::top_p;
  float p = 1;
  int min_keep = 0;

  problem check() const {
    return detail::first_problem(detail::check_field("top_p", p), detail::check_field("min_keep", min_keep));
  }
  bool active() const noexcept { return p < 1; }
  void operator()(row& r) const noexcept { r.keep_mass(p, min_keep); }
};
static_assert(row_stage<top_p>);

}  // namespace sluice::inline v1
