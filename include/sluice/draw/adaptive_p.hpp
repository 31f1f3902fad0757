#pragma once

#include <algorithm>
#include <tuple>

#include <sluice/draw/weight.hpp>
#include <sluice/history/feedback.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Adaptive-p (llama.cpp): draws tokens whose probabilities average `target`. After the filters and the
/// temperature the logit of a token of probability p becomes 5 - 10 d^2 / (1 + d), d = |p - a| / 0.3, with
/// a = 2 target - S / W taken into [0, 1]. S and W are the sums of the drawn tokens' p and of ones, each
/// multiplied by `decay` at every token; they begin at target / (1 - decay) and 1 / (1 - decay), belong to
/// the sequence, move when the token that was drawn is accepted, and are rewound with it. Acts last, wherever
/// an order names it. Ranges: target <= 1, below 0 off; decay in [0, 0.99]. Cost: two passes over the
/// survivors, which become a list; so filter before it.
struct adaptive_p {
  static constexpr place where = place::draw;
  static constexpr stage_kind kind = stage_kind::draw;
  static constexpr stage_name name = {"adaptive_p", 'a'};
  float target = -1;
  float decay = 0.9f;
  draw_method by = draw_method::gumbel;

  static constexpr auto parameters =
      std::tuple{parameter{"adaptive_target", &adaptive_p::target, &sampling_params::adaptive_target,
                           real_range{.high = 1}},
                 parameter{"adaptive_decay", &adaptive_p::decay, &sampling_params::adaptive_decay,
                           real_range{.low = 0, .high = 0.99f}}};

  static adaptive_p from(const sampling_params& p) {
    return {.target = p.adaptive_target, .decay = p.adaptive_decay, .by = p.draw};
  }
  bool active() const noexcept { return target >= 0; }

  void shape(row& r, sequence& q) const noexcept {
    const detail::feedback_value now = value_of(q);
    const double aim = std::clamp(2 * double(target) - now.value / now.weight, 0.0, 1.0);
    const double top = double(r.max()), inverse = 1.0 / r.temperature(), log_total = draw::log_total(r);
    detail::row_internals::reshape(r, [=](float logit, double& p) noexcept {
      p = kernel::exp((double(logit) - top) * inverse - log_total);
      const double d = (p > aim ? p - aim : aim - p) / 0.3;
      return float(5 - 10 * d * d / (1 + d));
    });
  }
  bool settle(row& r, sequence& q, token_id token) const noexcept {
    const detail::feedback_value now = value_of(q);
    const double p = detail::row_internals::noted(r, token);
    return detail::note_draw(detail::sequence_access::of(q),
                             {detail::feedback_kind::adaptive_p, token, p + double(decay) * now.value,
                              1 + double(decay) * now.weight});
  }

 private:
  detail::feedback_value value_of(const sequence& q) const noexcept {
    const double spread = 1 / (1 - double(decay));
    return detail::feedback_of(detail::sequence_access::of(q), detail::feedback_kind::adaptive_p,
                               double(target) * spread, spread);
  }
};
static_assert(feedback_draw<adaptive_p>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
