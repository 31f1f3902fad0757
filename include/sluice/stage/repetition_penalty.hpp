#pragma once

#include <sluice/row/statistics.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Repetition penalty (CTRL, Keskar et al., arXiv 1909.05858): for each distinct token of the window
/// l > 0 ? l / penalty : l * penalty. The prompt counts.
/// penalty > 0; 1 is off, below 1 rewards. last_n: -1 the whole history, 0 off. Its known defect, that adding
/// a constant to all logits changes the result, `normalized` repairs: l = L + penalty (l - L), L = ln sum
/// e^l. Absent tokens and ids outside the row are passed over. Cost: the distinct tokens of the window.
struct repetition_penalty {
  static constexpr place where = place::repetition_penalty;
  static constexpr stage_kind kind = stage_kind::edit;
  static constexpr stage_name name = {"penalties", 'e'};
  float penalty = 1;
  int last_n = -1;
  bool normalized = false;

  static constexpr auto parameters =
      std::tuple{parameter{"repetition_penalty", &repetition_penalty::penalty,
                           &sampling_params::repetition_penalty, detail::above_zero},
                 parameter{"penalty_last_n", &repetition_penalty::last_n, &sampling_params::penalty_last_n,
                           detail::any_window},
                 parameter{"repetition_normalized", &repetition_penalty::normalized,
                           &sampling_params::repetition_normalized}};

  bool active() const noexcept { return penalty != 1 && last_n != 0; }
  void operator()(row& r, sequence& q) const noexcept {
    const token_counts seen = q.window(last_n);
    if (!seen) return r.fail(sample_status::out_of_memory);
    const double by = penalty, level = normalized ? r.log_sum_exp() : 0;
    r.edit(seen, [&](const token_count&, double l) {
      if (normalized) return level + by * (l - level);
      const double positive = l / by, negative = l * by;  // a branch would be taken as often as not
      return l > 0 ? positive : negative;
    });
  }
  bool prepare(sequence& q, workspace&, std::size_t) const noexcept { return bool(q.window(last_n)); }
};
static_assert(history_stage<repetition_penalty>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
