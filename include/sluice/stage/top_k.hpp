#pragma once

#include <sluice/cut/by_rank.hpp>
#include <sluice/cut/nucleus.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Top-k (Fan et al., 2018): keeps the k tokens that rank first.
/// Ties are decided by id, so exactly k stay. k <= 0, or k >= the survivors, keeps all; k = 1 is greedy.
/// -inf and NaN are absent. Cost: the k-th largest block maximum bounds the cut, then a selection.
struct top_k {
  static constexpr place where = place::top_k;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"top_k", 'k'};
  int k = 0;

  static constexpr auto parameters = std::tuple{parameter{"top_k", &top_k::k, &sampling_params::top_k}};

  bool active() const noexcept { return k > 0; }
  bool greedy() const noexcept { return k == 1; }
  void join(nucleus& n) const noexcept { n.top_k = k; }
  void operator()(row& r) const noexcept { r.keep_top(k); }
};
static_assert(row_stage<top_k>);

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
