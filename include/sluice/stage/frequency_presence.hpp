#pragma once

#include <sluice/params/check.hpp>
#include <sluice/row.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Frequency and presence penalty (OpenAI): l -= frequency * count + presence for each token of the window.
/// Negative values reward; both 0 is off. last_n: -1 the whole history, 0 off. `of` says which tokens count:
/// all (as llama.cpp), or generated ones only (as OpenAI and vLLM). Absent tokens and ids outside the row are
/// passed over. Cost: the distinct tokens of the window.
struct frequency_presence {
  static constexpr place where = place::frequency_presence;
  float frequency = 0;
  float presence = 0;
  int last_n = -1;
  counted of = counted::all;

  problem check() const {
    return detail::first_problem(detail::check_field("frequency_penalty", frequency),
                                 detail::check_field("presence_penalty", presence),
                                 detail::check_field("penalty_last_n", last_n));
  }
  bool active() const noexcept { return (frequency != 0 || presence != 0) && last_n != 0; }
  void operator()(row& r, sequence& q) const noexcept {
    const token_counts seen = q.window(last_n, of);
    if (!seen) return r.fail(sample_status::out_of_memory);
    r.edit(seen, [this](const token_count& entry, double l) {
      return l - (double(frequency) * entry.count + double(presence));
    });
  }
  bool prepare(sequence& q, workspace&, std::size_t) const noexcept { return bool(q.window(last_n, of)); }
};
static_assert(history_stage<frequency_presence>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1
