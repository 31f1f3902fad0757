#pragma once

#include <sluice/cut/by_rank.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Top-n-sigma (Tang et al., arXiv 2411.07641): keeps the tokens with l >= max - n * sigma, sigma the
/// population standard deviation of the surviving logits. n <= 0 is off. Invariant under a * l + c for a > 0.
/// Removed tokens, -inf and NaN are in no mean or deviation. Cost: one pass for the moments.
struct top_n_sigma {
  static constexpr place where = place::top_n_sigma;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"top_n_sigma", 's'};
  float n = 0;

  static constexpr auto parameters =
      std::tuple{parameter{"top_n_sigma", &top_n_sigma::n, &sampling_params::top_n_sigma}};

  bool active() const noexcept { return n > 0; }
  void operator()(row& r) const noexcept {
    r.keep_at_least(double(r.max()) - double(n) * r.moments().deviation);
  }
};
static_assert(row_stage<top_n_sigma>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
