#pragma once

#include <sluice/cut/nucleus.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Min-p (Nguyen et al., arXiv 2407.01082): keeps the tokens with l >= max + ln(p), those at least p times as
/// probable as the best one.
/// p in [0, 1]; 0 is off, 1 keeps what ties with the maximum. min_keep: at least so many stay. -inf and NaN
/// are absent. Cost: one comparison a block.
struct min_p {
  static constexpr place where = place::min_p;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"min_p", 'm'};
  float p = 0;
  int min_keep = 0;

  static constexpr auto parameters =
      std::tuple{parameter{"min_p", &min_p::p, &sampling_params::min_p, detail::unit_interval},
                 parameter{"min_keep", &min_p::min_keep, &sampling_params::min_keep, detail::from_zero}};

  bool active() const noexcept { return p > 0; }
  void join(nucleus& n) const noexcept {
    n.min_p = p;
    n.min_p_min_keep = min_keep;
  }
  void operator()(row& r) const noexcept { r.keep_at_least(cut::min_p_logit(r, p), min_keep); }
};
static_assert(row_stage<min_p>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
