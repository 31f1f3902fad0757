// The chain of some parameters, made by hand: every listed stage as the parameters set it.
#pragma once

#include <sluice/sluice.hpp>

#include <tuple>

namespace tests {

/// In the fixed order; `params.order`, `truncation`, `engine` and `draw` are not looked at.
inline auto chain_by_hand(const sluice::sampling_params& params) {
  sluice::detail::listed_stages stages;
  std::apply(
      [&](auto&... stage) {
        ((stage = sluice::detail::stage_of<std::remove_reference_t<decltype(stage)>>(params)), ...);
      },
      stages);
  return std::apply([](const auto&... stage) { return sluice::chain{stage...}; }, stages);
}

}  // namespace tests
