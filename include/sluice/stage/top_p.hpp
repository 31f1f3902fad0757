#pragma once

#include <sluice/cut/by_mass.hpp>
#include <sluice/cut/nucleus.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Top-p, the nucleus (Holtzman et al., arXiv 1904.09751): keeps the shortest prefix of the ranking with
/// mass >= p. The token that crosses stays; without the last token the mass is below p.
/// p in [0, 1]; 1 is off, 0 keeps one token. min_keep: at least so many stay. Masses are integers, so ties
/// and sums are exact; ties fall by id. -inf and NaN are absent. Cost: an exact total, and a cut; where
/// nothing but min-p, a fixed temperature and the draw follows, none: the draw rejects (draw/nucleus.hpp).
struct top_p {
  static constexpr place where = place::top_p;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"top_p", 'p', "nucleus"};
  float p = 1;
  int min_keep = 0;

  static constexpr auto parameters =
      std::tuple{parameter{"top_p", &top_p::p, &sampling_params::top_p, detail::unit_interval},
                 parameter{"min_keep", &top_p::min_keep, &sampling_params::min_keep, detail::from_zero}};

  bool active() const noexcept { return p < 1; }
  void join(nucleus& n) const noexcept {
    n.top_p = p;
    n.top_p_min_keep = min_keep;
  }
  void operator()(row& r) const noexcept { r.keep_mass(p, min_keep); }
};
static_assert(row_stage<top_p>);

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
