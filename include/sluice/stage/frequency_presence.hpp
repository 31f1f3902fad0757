#pragma once

#include <sluice/row/members.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Frequency and presence penalty (OpenAI): l -= frequency * count + presence for each token of the window.
/// Negative values reward; both 0 is off. last_n: -1 the whole history, 0 off. `of` says which tokens count:
/// all (as llama.cpp), or generated ones only (as OpenAI and vLLM). Absent tokens and ids outside the row are
/// passed over. Cost: the distinct tokens of the window.
struct frequency_presence {
  static constexpr place where = place::frequency_presence;
  static constexpr stage_kind kind = stage_kind::edit;
  static constexpr stage_name name = {"penalties", 'e'};
  float frequency = 0;
  float presence = 0;
  int last_n = -1;
  counted of = counted::all;

  static constexpr auto parameters = std::tuple{
      parameter{"frequency_penalty", &frequency_presence::frequency, &sampling_params::frequency_penalty},
      parameter{"presence_penalty", &frequency_presence::presence, &sampling_params::presence_penalty},
      parameter{"penalty_last_n", &frequency_presence::last_n, &sampling_params::penalty_last_n,
                detail::any_window},
      request_parameter{"occurrence_counts_prompt", &sampling_params::occurrence_counts_prompt}};

  static frequency_presence from(const sampling_params& p) {
    return {.frequency = p.frequency_penalty,
            .presence = p.presence_penalty,
            .last_n = p.penalty_last_n,
            .of = p.occurrence_counts_prompt ? counted::all : counted::generated};
  }
  bool active() const noexcept { return (frequency != 0 || presence != 0) && last_n != 0; }
  void operator()(row& r, sequence& q) const noexcept {
    const token_counts counts = q.window(last_n, of);
    if (!counts) return r.fail(sample_status::out_of_memory);
    r.edit(counts, [this](const token_count& seen, double l) {
      return l - (double(frequency) * seen.count + double(presence));
    });
  }
  bool prepare(sequence& q, workspace&, std::size_t) const noexcept { return bool(q.window(last_n, of)); }
};
static_assert(history_stage<frequency_presence>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
