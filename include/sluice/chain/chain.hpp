#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <sluice/api.hpp>
#include <sluice/chain/plan.hpp>
#include <sluice/chain/run.hpp>
#include <sluice/stage/concepts.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail {

template <class A, class B>
struct in_order {
  static_assert(A::where < B::where,
                "sluice: wrong order in a chain: the second stage named here must stand before the first "
                "(or use custom_chain, which takes any order); stages of one place need different numbers");
};

template <class S>
struct is_stage {
  static_assert(stage<S> || draw_stage<S>,
                "sluice: this is not a stage: it needs `where`, a noexcept `active() const` and a noexcept "
                "`operator()(row&) const` or `operator()(row&, sequence&) const`");
};

template <class A, class B>
struct draws_last {
  static_assert(!draw_stage<A>, "sluice: wrong order in a chain: the draw stage named first must stand last");
};

/// Checks each neighbouring pair, so that the compiler names the two stages beside the sentence.
template <template <class, class> class Rule, class A, class B, class... Rest>
constexpr void check_neighbours() {
  (void)sizeof(Rule<A, B>);
  if constexpr (sizeof...(Rest) > 0) check_neighbours<Rule, B, Rest...>();
}

/// Stages and their plan: what `chain` and `custom_chain` are.
template <stage_order_rule Order, class... Stages>
class staged {
  static_assert(sizeof...(Stages) < plan_step::joint, "sluice: a chain has at most 254 stages");

 public:
  SLUICE_ALWAYS_INLINE explicit staged(Stages... stages) : stages_(std::move(stages)...) {
    plan_builder builder({.order = Order});
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (make_ready(std::get<I>(stages_)), ...);
      (builder.add(std::get<I>(stages_), I), ...);
    }
    (std::index_sequence_for<Stages...>{});
    plan_ = builder.finish();
  }

  /// As standard_chain::sample.
  SLUICE_ALWAYS_INLINE sample_result sample(logits_view logits, sequence& q,
                                            const call_options& options = {}) const noexcept {
    return detail::sample(planned(plan_, stages_), logits, q, options);
  }
  /// As standard_chain::distribution.
  SLUICE_ALWAYS_INLINE std::span<const candidate> distribution(
      logits_view logits, sequence& q, const call_options& options = {}) const noexcept {
    return detail::distribution(planned(plan_, stages_), logits, q, options);
  }
  /// As standard_chain::prepare.
  SLUICE_ALWAYS_INLINE bool prepare(sequence& q, std::size_t vocab_size,
                                    workspace* memory = nullptr) const noexcept {
    return detail::prepare(planned(plan_, stages_), q, vocab_size, memory);
  }

 private:
  friend chain_access;

  std::tuple<Stages...> stages_;
  plan plan_;
};

}  // namespace detail

/// A chain by hand, in the fixed order: `chain c{top_k{.k = 40}, temperature{.t = 0.8f}}`. A wrong order does
/// not compile. It may end in a draw stage, `gumbel{}` (the default) or `softmax{}`. Members and cost as in
/// standard_chain. A temperature below 1e-5 or top_k = 1 is greedy: the filters do not run.
template <class... Stages>
class chain : public detail::staged<detail::stage_order_rule::fixed, Stages...> {
 public:
  SLUICE_ALWAYS_INLINE chain(Stages... stages)
      : detail::staged<detail::stage_order_rule::fixed, Stages...>(std::move(stages)...) {
    ((void)sizeof(detail::is_stage<Stages>), ...);
    if constexpr (sizeof...(Stages) > 1) detail::check_neighbours<detail::in_order, Stages...>();
  }
};

/// A chain by hand in any order. A temperature that is not last writes float(l / t), and the draw then has t
/// = 1; one below 1e-5 keeps the best of what survives at its place.
template <class... Stages>
class custom_chain : public detail::staged<detail::stage_order_rule::free, Stages...> {
 public:
  SLUICE_ALWAYS_INLINE custom_chain(Stages... stages)
      : detail::staged<detail::stage_order_rule::free, Stages...>(std::move(stages)...) {
    ((void)sizeof(detail::is_stage<Stages>), ...);
    if constexpr (sizeof...(Stages) > 1) detail::check_neighbours<detail::draws_last, Stages...>();
  }
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
