#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sluice/api.hpp>
#include <sluice/call.hpp>
#include <sluice/draw/gumbel.hpp>
#include <sluice/draw/softmax.hpp>
#include <sluice/refuse.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/logit_bias.hpp>
#include <sluice/stage/temperature.hpp>
#include <sluice/stage/top_k.hpp>

namespace sluice::inline v1 {

namespace detail {

/// `fixed`: the order of the places, greedy decoding skips the filters. `free`: any order, stage by stage.
enum class stage_order : std::uint8_t { fixed, free };

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

template <class... Stages>
using last_of = std::tuple_element_t<sizeof...(Stages), std::tuple<gumbel, Stages...>>;

/// Stages in a row, as a plan of call.hpp.
template <stage_order Order, class... Stages>
class stage_plan {
 public:
  /// The draw: the last stage if it is one, gumbel otherwise.
  static constexpr bool names_draw = sizeof...(Stages) > 0 && draw_stage<last_of<Stages...>>;
  using draw_type = std::conditional_t<names_draw, last_of<Stages...>, gumbel>;

  SLUICE_ALWAYS_INLINE explicit stage_plan(Stages... stages) : stages_(std::move(stages)...) {
    std::apply([](auto&... s) { (ready(s), ...); }, stages_);
    if constexpr (Order == stage_order::fixed)
      greedy_ = std::apply([](const auto&... s) { return (takes_best(s) || ...); }, stages_);
  }

  truncation_engine engine() const noexcept { return truncation_engine::select; }
  draw_method method() const noexcept {
    return std::is_same_v<draw_type, softmax> ? draw_method::softmax : draw_method::gumbel;
  }
  bool greedy() const noexcept { return greedy_; }

  token_id run(row& r, sequence& q, wanted what) const noexcept {
    const bool biased = std::apply([](const auto&... s) { return (adds_bias(s) || ...); }, stages_);
    if (!biased) r.add_biases({});
    std::apply([&](const auto&... s) { (step(s, r, q), ...); }, stages_);
    if (r.status() == sample_status::ok && r.empty()) r.fail(sample_status::no_token_left);
    if (r.status() != sample_status::ok || what == wanted::survivors) return no_token;
    if (greedy_) return r.argmax();
    if constexpr (names_draw) {
      return std::get<sizeof...(Stages) - 1>(stages_)(r, q);
    } else {
      return gumbel{}(r, q);
    }
  }

  bool prepare(sequence& q, workspace& memory, std::size_t vocab_size) const noexcept {
    const auto one = [&](const auto& s) {
      if constexpr (requires { s.prepare(q, memory, vocab_size); })
        return !s.active() || s.prepare(q, memory, vocab_size);
      return true;
    };
    return std::apply([&](const auto&... s) { return (one(s) && ...); }, stages_);
  }

 private:
  template <class S>
  SLUICE_ALWAYS_INLINE static void ready(S& s) {
    if constexpr (requires { s.check(); })
      if (const problem found = s.check()) refuse(found);
    if constexpr (requires { s.build(); }) s.build();
  }

  template <class S>
  static bool takes_best(const S& s) noexcept {
    if constexpr (std::is_same_v<S, temperature>) return s.t < coldest;
    if constexpr (std::is_same_v<S, top_k>) return s.k == 1;
    return false;
  }

  template <class S>
  static bool adds_bias(const S& s) noexcept {
    if constexpr (std::is_same_v<S, logit_bias>) return s.active();
    return false;
  }

  template <class S>
  void step(const S& s, row& r, sequence& q) const noexcept {
    if constexpr (!draw_stage<S>) {
      if (greedy_ && S::where >= place::top_n_sigma) return;
      if (!s.active() || r.status() != sample_status::ok || r.empty()) return;
      r.settle_temperature();
      if constexpr (row_stage<S>) {
        s(r);
      } else {
        s(r, q);
      }
    }
  }

  std::tuple<Stages...> stages_;
  bool greedy_ = false;
};

}  // namespace detail

/// A chain by hand, in the fixed order: `chain c{top_k{.k = 40}, temperature{.t = 0.8f}}`. A wrong order does
/// not compile. It may end in a draw stage, `gumbel{}` (the default) or `softmax{}`. Members as in
/// standard_chain. A temperature below 1e-5 or top_k = 1 is greedy: the filters do not run.
template <class... Stages>
class chain {
 public:
  SLUICE_ALWAYS_INLINE chain(Stages... stages) : plan_(std::move(stages)...) {
    ((void)sizeof(detail::is_stage<Stages>), ...);
    if constexpr (sizeof...(Stages) > 1) detail::check_neighbours<detail::in_order, Stages...>();
  }

  SLUICE_ALWAYS_INLINE sample_result sample(logits_view logits, sequence& q,
                                            const call_options& options = {}) const noexcept {
    return call::sample(plan_, logits, q, options);
  }
  SLUICE_ALWAYS_INLINE std::span<const candidate> distribution(
      logits_view logits, sequence& q, const call_options& options = {}) const noexcept {
    return call::distribution(plan_, logits, q, options);
  }
  SLUICE_ALWAYS_INLINE bool prepare(sequence& q, std::size_t vocab_size,
                                    workspace* memory = nullptr) const noexcept {
    return call::prepare(plan_, q, vocab_size, memory);
  }

 private:
  detail::stage_plan<detail::stage_order::fixed, Stages...> plan_;
};

/// A chain by hand in any order. A temperature that is not last writes float(l / t), and the draw then has t
/// = 1; one below 1e-5 keeps the best of what survives at its place.
template <class... Stages>
class custom_chain {
 public:
  SLUICE_ALWAYS_INLINE custom_chain(Stages... stages) : plan_(std::move(stages)...) {
    ((void)sizeof(detail::is_stage<Stages>), ...);
    if constexpr (sizeof...(Stages) > 1) detail::check_neighbours<detail::draws_last, Stages...>();
  }

  SLUICE_ALWAYS_INLINE sample_result sample(logits_view logits, sequence& q,
                                            const call_options& options = {}) const noexcept {
    return call::sample(plan_, logits, q, options);
  }
  SLUICE_ALWAYS_INLINE std::span<const candidate> distribution(
      logits_view logits, sequence& q, const call_options& options = {}) const noexcept {
    return call::distribution(plan_, logits, q, options);
  }
  SLUICE_ALWAYS_INLINE bool prepare(sequence& q, std::size_t vocab_size,
                                    workspace* memory = nullptr) const noexcept {
    return call::prepare(plan_, q, vocab_size, memory);
  }

 private:
  detail::stage_plan<detail::stage_order::free, Stages...> plan_;
};

}  // namespace sluice::inline v1
