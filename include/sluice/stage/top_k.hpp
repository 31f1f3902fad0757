#pragma once

#include <sluice/params/check.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>

namespace sluice::inline v1 {

/// Top-k (Fan et al., 2018): keeps the k tokens that rank first.
/// Ties are decided by id, so exactly k stay. k <= 0, or k >= the survivors, keeps all; k = 1 is greedy.
/// -inf and NaN are absent. Cost: the k-th largest block maximum bounds the cut, then a selection.
struct top_k {
  static constexpr place where = place::top_k;
  int k = 0;

  bool active() const noexcept { return k > 0; }
  void operator()(row& r) const noexcept { r.keep_top(k); }
};
static_assert(row_stage<top_k>);

}  // namespace sluice::inline v1
