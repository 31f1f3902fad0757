#pragma once

#include <sluice/cut/by_rank.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// P-less (Tan et al., arXiv 2509.23234): with q = softmax(l / t) keeps the tokens with q >= sum q^2, the
/// probability that two draws agree. As logits: l >= max + t (ln sum e^{2(l-max)/t} - ln sum e^{(l-max)/t}).
/// No parameter of its own; t is the temperature of the draw (0: what ties with the maximum). A uniform row
/// keeps everything, and there is no slack. -inf and NaN are absent. Cost: one pass of exponentials.
struct p_less {
  static constexpr place where = place::p_less;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"p_less"};
  float t = 1;
  bool on = true;

  static constexpr auto parameters =
      std::tuple{parameter{"p_less", &p_less::on, &sampling_params::p_less},
                 parameter{"temperature", &p_less::t, &sampling_params::temperature}};

  bool active() const noexcept { return on; }
  void operator()(row& r) const noexcept {
    const double now = double(detail::row_internals::temperature_of(r, t));
    r.keep_at_least(now > 0 ? r.collision_level(now) : double(r.max()));
  }
};
static_assert(row_stage<p_less>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
