#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <sluice/api.hpp>
#include <sluice/chain/check.hpp>
#include <sluice/chain/order.hpp>
#include <sluice/chain/plan.hpp>
#include <sluice/chain/run.hpp>
#include <sluice/chain/stages.hpp>
#include <sluice/refuse.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail {

/// The listed stages as sampling_params set them, and the plan of those that act.
struct standard_plan {
  sampling_params params;
  listed_stages stages;
  detail::plan plan;
  long owners = 1;
};

inline namespace SLUICE_ISA {

/// Adds the stage at a place of the list, in the order of a text or in the fixed one.
SLUICE_COLD void add_in_order(plan_builder& builder, const listed_stages& stages, const stage_order& order) {
  const auto add = [&](std::uint32_t which) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((which >> I & 1 ? builder.add(std::get<I>(stages), I) : void()), ...);
    }
    (std::make_index_sequence<stage_count>{});
  };
  if (std::get<mirostat>(stages).active()) {  // which looks at nothing else
    const std::uint32_t tempered = order.runs<temperature>() ? bits_of<temperature>() : 0;
    return add(bits_of<min_tokens, logit_bias, mirostat>() | tempered);
  }
  if (order.empty()) return add(~std::uint32_t{0});
  // What an order cannot name runs first.
  std::uint32_t nameless = ~std::uint32_t{0};
  for (const order_name& name : order_names) nameless &= ~name.stages;
  add(nameless);
  for (const std::uint8_t place : order) add(order_names.names[place].stages);
}

/// The plan of parameters that `check` has passed. A temperature that the order leaves out is 1, for the
/// stages that read it too.
SLUICE_COLD shared_plan make_plan(sampling_params params) {
  auto* const made = new standard_plan;
  shared_plan shared(
      made, [](const standard_plan* last) { delete last; }, &made->owners);
  const stage_order order = parse_order(params.order);
  const float t = params.temperature;
  if (!order.runs<temperature>()) params.temperature = 1;
  std::apply(
      [&params](auto&... stage) {
        const auto make = [&params](auto& one) {
          read_stage(one, params);
          if constexpr (requires { one.build(); }) one.build();
        };
        (make(stage), ...);
      },
      made->stages);
  params.temperature = t;
  plan_builder builder({.order = order.empty() ? stage_order_rule::fixed : stage_order_rule::free,
                        .truncation = params.truncation,
                        .engine = params.engine,
                        .draw = params.draw});
  add_in_order(builder, made->stages, order);
  made->plan = builder.finish();
  made->params = std::move(params);
  return shared;
}

}  // namespace SLUICE_ISA
}  // namespace detail

namespace detail {

/// The plan of a chain, for the library's own parts.
struct chain_access {
  SLUICE_ALWAYS_INLINE static const standard_plan& plan_of(const standard_chain& chain) noexcept {
    return *chain.plan_;
  }
  /// Of a chain by hand.
  template <class Staged>
  SLUICE_ALWAYS_INLINE static planned planned_of(const Staged& chain) noexcept {
    return planned(chain.plan_, chain.stages_);
  }
};

}  // namespace detail

SLUICE_ALWAYS_INLINE standard_chain::standard_chain(sampling_params params) {
  if (const problem found = check(params)) detail::refuse(found);
  plan_ = detail::make_plan(std::move(params));
}

SLUICE_ALWAYS_INLINE sample_result standard_chain::sample(logits_view logits, sluice::sequence& q,
                                                          const call_options& options) const noexcept {
  return detail::sample(detail::planned(plan_->plan, plan_->stages), logits, q, options);
}

SLUICE_ALWAYS_INLINE std::span<const candidate> standard_chain::distribution(
    logits_view logits, sluice::sequence& q, const call_options& options) const noexcept {
  return detail::distribution(detail::planned(plan_->plan, plan_->stages), logits, q, options);
}

SLUICE_ALWAYS_INLINE bool standard_chain::prepare(sluice::sequence& q, std::size_t vocab_size,
                                                  workspace* memory) const noexcept {
  return detail::prepare(detail::planned(plan_->plan, plan_->stages), q, vocab_size, memory);
}

SLUICE_ALWAYS_INLINE const sampling_params& standard_chain::params() const noexcept { return plan_->params; }

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
