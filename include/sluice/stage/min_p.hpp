#pragma once

#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/params/check.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Min-p (Nguyen et al., arXiv 2407.01082): keeps the tokens with l >= max + ln(p), those at least p times as
/// probable as the best one.
/// p in [0, 1]; 0 is off, 1 keeps what ties with the maximum. min_keep: at least so many stay. -inf and NaN
/// are absent. Cost: one comparison a block.
struct min_p {
  static constexpr place where = place::min_p;
  float p = 0;
  int min_keep = 0;

  problem check() const {
    return detail::first_problem(detail::check_field("min_p", p), detail::check_field("min_keep", min_keep));
  }
  bool active() const noexcept { return p > 0; }
  double threshold(row& r) const noexcept { return double(r.max()) + kernel::ln(double(p)); }
  void operator()(row& r) const noexcept { r.keep_at_least(threshold(r), min_keep); }
};
static_assert(row_stage<min_p>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1
