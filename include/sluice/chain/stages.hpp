#pragma once

// The list of stages, in their fixed order: the only one. Plans, the names of an order, the fields that
// `check` and `set` know, and the tests that walk all stages are made from it.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sluice/draw/adaptive_p.hpp>
#include <sluice/draw/mirostat.hpp>
#include <sluice/stage/dry.hpp>
#include <sluice/stage/frequency_presence.hpp>
#include <sluice/stage/logit_bias.hpp>
#include <sluice/stage/min_p.hpp>
#include <sluice/stage/min_tokens.hpp>
#include <sluice/stage/p_less.hpp>
#include <sluice/stage/repetition_penalty.hpp>
#include <sluice/stage/scatter.hpp>
#include <sluice/stage/temperature.hpp>
#include <sluice/stage/top_h.hpp>
#include <sluice/stage/top_k.hpp>
#include <sluice/stage/top_n_sigma.hpp>
#include <sluice/stage/top_p.hpp>
#include <sluice/stage/typical_p.hpp>
#include <sluice/stage/xtc.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail {

using listed_stages = std::tuple<min_tokens,          //
                                 logit_bias,          //
                                 repetition_penalty,  //
                                 dry,                 //
                                 frequency_presence,  //
                                 top_n_sigma,         //
                                 p_less,              //
                                 top_h,               //
                                 typical_p,           //
                                 top_k,               //
                                 top_p,               //
                                 min_p,               //
                                 xtc,                 //
                                 scatter,             //
                                 temperature,         //
                                 adaptive_p,          //
                                 mirostat>;

inline constexpr std::size_t stage_count = std::tuple_size_v<listed_stages>;

/// Bit i for the stage at place i of the list.
template <class... Stages>
constexpr std::uint32_t bits_of() noexcept {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    const auto listed = [](auto stage) {
      return (std::is_same_v<typename decltype(stage)::type, Stages> || ...);
    };
    return (std::uint32_t{0} | ... |
            (std::uint32_t{listed(std::type_identity<std::tuple_element_t<I, listed_stages>>{})} << I));
  }
  (std::make_index_sequence<stage_count>{});
}

/// f(std::type_identity<Stage>{}, place in the list) for every stage.
template <class F>
constexpr void for_each_stage(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::type_identity<std::tuple_element_t<I, listed_stages>>{}, I), ...);
  }
  (std::make_index_sequence<stage_count>{});
}

}  // namespace sluice::inline v1::detail

#include <sluice/macros_back.inc>
