#pragma once

// From stages and settings to a plan: what runs, in which order, and what can be done in one. Made once, when
// a chain is built; the same for chains by hand and those of sampling_params.

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/chain/engine.hpp>
#include <sluice/cut/nucleus.hpp>
#include <sluice/draw/gumbel.hpp>
#include <sluice/draw/softmax.hpp>
#include <sluice/refuse.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/logit_bias.hpp>
#include <sluice/stage/min_tokens.hpp>
#include <sluice/stage/parameter.hpp>
#include <sluice/stage/temperature.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail {

/// `fixed`: the order of the places, greedy decoding skips the filters. `free`: any order, stage by stage.
enum class stage_order_rule : std::uint8_t { fixed, free };

struct plan_settings {
  stage_order_rule order = stage_order_rule::fixed;
  truncation_rule truncation = truncation_rule::sequential;
  truncation_engine engine = truncation_engine::automatic;
  draw_method draw = draw_method::gumbel;
};

/// One stage, by its place in the chain's tuple; or the filters that judge one row jointly.
struct plan_step {
  static constexpr std::uint8_t joint = 0xff;

  std::uint8_t stage = joint;
  stage_kind kind = stage_kind::filter;
  bool idle = false;  // a temperature of 1: acts where the call has one of its own
};

/// Plain data: a file with other compiler flags may run it with code of its own.
struct plan {
  static constexpr std::size_t never = ~std::size_t{0};

  std::vector<plan_step> steps = {};  // the active stages, the draw left out
  std::size_t before_biases = 0;      // steps that come before the call's biases
  nucleus joint = {};                 // what a joint step keeps
  std::size_t rejects_from = never;  // from this step on nothing but this nucleus at this temperature is left
  nucleus rejected = {};
  double rejected_temperature = 1;
  bool rejects_tempered = false;  // it is that of the temperature stage, which a call may replace
  truncation_engine cuts_by = truncation_engine::select;
  draw_method draw = draw_method::gumbel;
  std::uint8_t feedback = plan_step::joint;  // the stage that shapes the row for the draw, if any
  bool draws_by_own_stage = false;
  bool adds_bias = false;
  bool tempers = false;  // has a temperature stage, so that a call may have its own
  bool freezes = false;  // and one below `coldest` is greedy
  bool cold = false;     // the chain's own is
  bool greedy = false;   // for another reason
};

/// Takes the stages one after the other.
class plan_builder {
 public:
  explicit plan_builder(const plan_settings& settings) noexcept : settings_(settings) {
    plan_.cuts_by = chosen_engine(settings.engine, false);
    plan_.draw = settings.draw;
    may_reject_ = chosen_engine(settings.engine, true) == truncation_engine::rejection;
  }

  template <class Stage>
  void add(const Stage& stage, std::size_t place) {
    if constexpr (kind_of<Stage>() == stage_kind::draw) {
      take_draw(stage, place);
    } else {
      constexpr bool tempers = std::is_same_v<Stage, temperature>;
      if (!tempers && !stage.active()) return;
      if constexpr (tempers) {
        plan_.tempers = true;
        plan_.freezes = settings_.order == stage_order_rule::fixed;
        plan_.cold = plan_.freezes && stage.greedy();
      } else if constexpr (requires { stage.greedy(); }) {
        plan_.greedy = plan_.greedy || (settings_.order == stage_order_rule::fixed && stage.greedy());
      }
      if constexpr (std::is_same_v<Stage, logit_bias>) plan_.adds_bias = true;
      if constexpr (std::is_same_v<Stage, min_tokens>)
        plan_.before_biases += plan_.steps.size() == plan_.before_biases;  // where nothing stands before it
      const plan_step step{std::uint8_t(place), kind_of<Stage>(), !stage.active()};
      if constexpr (requires(nucleus & n) { stage.join(n); }) {
        if (settings_.truncation == truncation_rule::joint) {
          stage.join(plan_.joint);
          add_joint_step();
        } else {
          nucleus alone;
          stage.join(alone);
          take_filter(alone);
          add_step(step);
        }
      } else {
        if constexpr (std::is_same_v<Stage, temperature>) {
          take_temperature(stage);
        } else {
          open_ = false;
        }
        add_step(step);
      }
    }
  }

  plan finish() {
    if (settings_.truncation == truncation_rule::joint) tail_ = plan_.joint;
    if (open_ && tail_.top_p < 1 && may_reject_ && !plan_.draws_by_own_stage &&
        plan_.feedback == plan_step::joint) {
      plan_.rejects_from = tail_begin_;
      plan_.rejected = tail_;
      plan_.rejected_temperature = tail_temperature_;
      plan_.rejects_tempered = tempered_;
    }
    return std::move(plan_);
  }

 private:
  template <class Stage>
  void take_draw(const Stage& stage, std::size_t place) noexcept {
    if constexpr (feedback_draw<Stage>) {
      plan_.draw = stage.by;
      if (stage.active()) plan_.feedback = std::uint8_t(place);
    } else {
      plan_.draw = std::is_same_v<Stage, softmax> ? draw_method::softmax : draw_method::gumbel;
      plan_.draws_by_own_stage = !std::is_same_v<Stage, softmax> && !std::is_same_v<Stage, gumbel>;
    }
  }

  SLUICE_COLD void add_step(plan_step step) { plan_.steps.push_back(step); }

  SLUICE_COLD void add_joint_step() {
    if (std::exchange(has_joint_step_, true)) return;
    begin_tail({});
    add_step({});
  }

  void begin_tail(const nucleus& n) noexcept {
    open_ = true;
    tail_begin_ = plan_.steps.size();
    tail_ = n;
    tail_temperature_ = 1;
    tempered_ = false;
  }

  /// Sequential: top-p begins the tail. Min-p behind it keeps the same tokens as beside it; top-k does not.
  SLUICE_COLD void take_filter(const nucleus& alone) noexcept {
    if (alone.top_p < 1) return begin_tail(alone);
    open_ = open_ && !tempered_ && alone.min_p > 0 && !(tail_.min_p > 0);
    if (!open_) return;
    tail_.min_p = alone.min_p;
    tail_.min_p_min_keep = alone.min_p_min_keep;
  }

  void take_temperature(const temperature& stage) noexcept {
    open_ = open_ && !tempered_ && stage.fixed();
    tempered_ = true;
    if (open_) tail_temperature_ = double(stage.t);
  }

  plan_settings settings_;
  plan plan_;
  bool may_reject_ = false, has_joint_step_ = false;
  // The tail of the plan that rejection may serve, while nothing has come that it cannot.
  bool open_ = false, tempered_ = false;
  std::size_t tail_begin_ = 0;
  nucleus tail_;
  double tail_temperature_ = 1;
};

/// Refuses what is out of range and builds what is built once.
template <class Stage>
SLUICE_ALWAYS_INLINE void make_ready(Stage& stage) {
  if (const problem found = check_stage(stage)) refuse(found);
  if constexpr (requires { stage.build(); }) stage.build();
}

inline namespace SLUICE_ISA {

/// How the stages of a tuple are called: by their places in it.
struct stage_code {
  using run_stage = void (*)(const void* stages, row& r, sequence& q) noexcept;
  using prepare_stage = bool (*)(const void* stages, sequence& q, workspace& memory,
                                 std::size_t vocab_size) noexcept;
  using draw_stage = token_id (*)(const void* stages, row& r, sequence& q) noexcept;
  using settle_stage = bool (*)(const void* stages, row& r, sequence& q, token_id token) noexcept;

  const run_stage* run = nullptr;
  const prepare_stage* prepare = nullptr;
  const settle_stage* settle = nullptr;
  draw_stage draw = nullptr;
};

template <class Stages, std::size_t I>
void run_stage_at(const void* stages, row& r, sequence& q) noexcept {
  const auto& stage = std::get<I>(*static_cast<const Stages*>(stages));
  if constexpr (feedback_draw<std::tuple_element_t<I, Stages>>) {
    stage.shape(r, q);
  } else if constexpr (row_stage<std::tuple_element_t<I, Stages>>) {
    stage(r);
  } else {
    stage(r, q);
  }
}

template <class Stages, std::size_t I>
bool prepare_stage_at(const void* stages, sequence& q, workspace& memory, std::size_t vocab_size) noexcept {
  const auto& stage = std::get<I>(*static_cast<const Stages*>(stages));
  if constexpr (requires { stage.prepare(q, memory, vocab_size); }) {
    return stage.prepare(q, memory, vocab_size);
  } else {
    return true;
  }
}

template <class Stages, std::size_t I>
token_id draw_stage_at(const void* stages, row& r, sequence& q) noexcept {
  return std::get<I>(*static_cast<const Stages*>(stages))(r, q);
}

template <class Stages, std::size_t I>
bool settle_stage_at(const void* stages, row& r, sequence& q, token_id token) noexcept {
  return std::get<I>(*static_cast<const Stages*>(stages)).settle(r, q, token);
}

template <class Stages, std::size_t I>
constexpr void add_code(auto& run, auto& prepare, auto& settle, stage_code::draw_stage& draw) noexcept {
  using type = std::tuple_element_t<I, Stages>;
  if constexpr (feedback_draw<type>) {
    run[I] = run_stage_at<Stages, I>;
    settle[I] = settle_stage_at<Stages, I>;
  } else if constexpr (kind_of<type>() != stage_kind::draw) {
    run[I] = run_stage_at<Stages, I>;
    prepare[I] = prepare_stage_at<Stages, I>;
  } else if constexpr (!std::is_same_v<type, gumbel> && !std::is_same_v<type, softmax>) {
    draw = draw_stage_at<Stages, I>;
  }
}

template <class Stages>
struct code_table {
  static constexpr std::size_t count = std::tuple_size_v<Stages>;
  std::array<stage_code::run_stage, count + 1> run = {};
  std::array<stage_code::prepare_stage, count + 1> prepare = {};
  std::array<stage_code::settle_stage, count + 1> settle = {};
  stage_code::draw_stage draw = nullptr;

  constexpr code_table() noexcept {
    [this]<std::size_t... I>(std::index_sequence<I...>) {
      (add_code<Stages, I>(run, prepare, settle, draw), ...);
    }
    (std::make_index_sequence<count>{});
  }
};

template <class Stages>
inline constexpr code_table<Stages> code_of = {};

/// A plan, the stages that it speaks of, and how they are called.
struct planned {
  const detail::plan& plan;
  const void* stages;
  stage_code code;

  template <class Stages>
  planned(const detail::plan& what, const Stages& those) noexcept
      : plan(what),
        stages(&those),
        code{code_of<Stages>.run.data(), code_of<Stages>.prepare.data(), code_of<Stages>.settle.data(),
             code_of<Stages>.draw} {}
};

}  // namespace SLUICE_ISA
}  // namespace sluice::inline v1::detail

#include <sluice/macros_back.inc>
