#pragma once

#include <tuple>

#include <sluice/cut/by_entropy.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Top-H (arXiv 2509.02510): keeps the longest prefix of the ranking whose renormalised entropy is at most
/// h times that of the row.
/// h in [0, 1]; 0 is off, 1 keeps all. The best token always stays. -inf and NaN are absent; ties fall by id.
/// Cost: a weighted pass of masses, and a sort of the tokens that stay.
struct top_h {
  static constexpr place where = place::top_h;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"top_h"};
  float h = 0;

  static constexpr auto parameters =
      std::tuple{parameter{"top_h", &top_h::h, &sampling_params::top_h, detail::unit_interval}};

  bool active() const noexcept { return h > 0 && h < 1; }
  void operator()(row& r) const noexcept { cut::keep_entropy(r, double(h) * r.entropy()); }
};
static_assert(row_stage<top_h>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
