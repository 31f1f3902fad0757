// The chain of some parameters, made by hand: every listed stage as the parameters set it.
#pragma once

#include <sluice/sluice.hpp>

#include <tuple>
#include <type_traits>

namespace tests {

/// In the fixed order; `params.order`, `truncation`, `engine`, `draw` and mirostat are not looked at.
inline auto chain_by_hand(const sluice::sampling_params& params) {
  const auto wanted = [&]<class Stage>(std::type_identity<Stage>) {
    if constexpr (std::is_same_v<Stage, sluice::mirostat>) {
      return std::tuple<>();
    } else {
      return std::tuple(sluice::detail::stage_of<Stage>(params));
    }
  };
  const auto stages = [&]<class... Stage>(std::type_identity<std::tuple<Stage...>>) {
    return std::tuple_cat(wanted(std::type_identity<Stage>{})...);
  }(std::type_identity<sluice::detail::listed_stages>{});
  return std::apply([](const auto&... stage) { return sluice::chain{stage...}; }, stages);
}

}  // namespace tests
