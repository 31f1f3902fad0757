#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <sluice/api.hpp>
#include <sluice/call.hpp>
#include <sluice/draw/gumbel.hpp>
#include <sluice/draw/softmax.hpp>
#include <sluice/params/check.hpp>
#include <sluice/params/order.hpp>
#include <sluice/refuse.hpp>
#include <sluice/row/nucleus.hpp>
#include <sluice/stage/dry.hpp>
#include <sluice/stage/frequency_presence.hpp>
#include <sluice/stage/logit_bias.hpp>
#include <sluice/stage/min_p.hpp>
#include <sluice/stage/p_less.hpp>
#include <sluice/stage/repetition_penalty.hpp>
#include <sluice/stage/scatter.hpp>
#include <sluice/stage/temperature.hpp>
#include <sluice/stage/top_k.hpp>
#include <sluice/stage/top_n_sigma.hpp>
#include <sluice/stage/top_p.hpp>
#include <sluice/stage/typical_p.hpp>
#include <sluice/stage/xtc.hpp>
#include <sluice/truncate/automatic.hpp>
#include <sluice/truncate/rejection.hpp>

namespace sluice::inline v1 {
namespace detail {

/// The stages of sampling_params and the order in which the active ones run.
struct standard_plan {
  sampling_params params;
  sluice::logit_bias bias;
  sluice::repetition_penalty repetition;
  sluice::dry dry;
  sluice::frequency_presence occurrences;
  sluice::top_n_sigma top_n_sigma;
  sluice::p_less p_less;
  sluice::typical_p typical_p;
  sluice::top_k top_k;
  sluice::top_p top_p;
  sluice::min_p min_p;
  sluice::xtc xtc;
  sluice::scatter scatter;
  sluice::temperature temperature;

  std::array<place, 16> steps = {};
  std::size_t count = 0;
  bool takes_best = false;  // greedy: the filters do not run
  long owners = 1;
};

inline namespace SLUICE_ISA {

/// f(stage) for the stage that stands at a place.
template <class Plan, class F>
void visit_stage(Plan& plan, place at, F&& f) {
  switch (at) {
    case place::logit_bias:
      return f(plan.bias);
    case place::repetition_penalty:
      return f(plan.repetition);
    case place::dry:
      return f(plan.dry);
    case place::frequency_presence:
      return f(plan.occurrences);
    case place::top_n_sigma:
      return f(plan.top_n_sigma);
    case place::p_less:
      return f(plan.p_less);
    case place::typical_p:
      return f(plan.typical_p);
    case place::top_k:
      return f(plan.top_k);
    case place::top_p:
      return f(plan.top_p);
    case place::min_p:
      return f(plan.min_p);
    case place::xtc:
      return f(plan.xtc);
    case place::scatter:
      return f(plan.scatter);
    case place::temperature:
      return f(plan.temperature);
    case place::draw:
      return;
  }
}

inline constexpr std::array fixed_order = {place::logit_bias,  place::repetition_penalty,
                                           place::dry,         place::frequency_presence,
                                           place::top_n_sigma, place::p_less,
                                           place::typical_p,   place::top_k,
                                           place::top_p,       place::min_p,
                                           place::xtc,         place::scatter,
                                           place::temperature};

/// The places of an order, the token bias first; `penalties` is two of them.
inline void lay_out_steps(standard_plan& plan) {
  const auto add = [&plan](place at) {
    visit_stage(plan, at, [&](const auto& stage) {
      if (stage.active()) plan.steps[plan.count++] = at;
    });
  };
  const order_steps order = parse_order(plan.params.order);
  if (order.empty()) {
    for (const place at : fixed_order) add(at);
    return;
  }
  add(place::logit_bias);
  for (const order_step step : order) {
    switch (step) {
      case order_step::penalties:
        add(place::repetition_penalty);
        add(place::frequency_presence);
        break;
      case order_step::dry:
        add(place::dry);
        break;
      case order_step::top_n_sigma:
        add(place::top_n_sigma);
        break;
      case order_step::p_less:
        add(place::p_less);
        break;
      case order_step::typical_p:
        add(place::typical_p);
        break;
      case order_step::top_k:
        add(place::top_k);
        break;
      case order_step::top_p:
        add(place::top_p);
        break;
      case order_step::min_p:
        add(place::min_p);
        break;
      case order_step::xtc:
        add(place::xtc);
        break;
      case order_step::scatter:
        add(place::scatter);
        break;
      case order_step::temperature:
        add(place::temperature);
        break;
      case order_step::adaptive_p:
        break;  // check refuses it
    }
  }
}

/// logit_bias, or language_bias where there is none; suppressed tokens last, -inf wins.
inline std::vector<token_bias> composed_bias(const sampling_params& params) {
  std::vector<token_bias> all = params.logit_bias.empty() ? params.language_bias : params.logit_bias;
  for (const token_id token : params.suppressed_tokens) all.push_back({token, kernel::infinite(-1)});
  return all;
}

inline shared_plan make_plan(sampling_params params) {
  auto* const made = new standard_plan;
  standard_plan& plan = *made;
  plan.params = std::move(params);
  shared_plan shared(
      made, [](const standard_plan* last) { delete last; }, &made->owners);
  const sampling_params& p = plan.params;
  plan.bias = {.biases = composed_bias(p)};
  plan.repetition = {
      .penalty = p.repetition_penalty, .last_n = p.penalty_last_n, .normalized = p.repetition_normalized};
  plan.dry = {.multiplier = p.dry_multiplier,
              .base = p.dry_base,
              .allowed_length = p.dry_allowed_length,
              .last_n = p.dry_penalty_last_n,
              .sequence_breakers = p.dry_sequence_breakers};
  plan.occurrences = {.frequency = p.frequency_penalty,
                      .presence = p.presence_penalty,
                      .last_n = p.penalty_last_n,
                      .of = p.occurrence_counts_prompt ? counted::all : counted::generated};
  plan.top_n_sigma = {.n = p.top_n_sigma};
  const order_steps order = parse_order(p.order);
  const bool tempered = order.empty() || order.names(order_step::temperature);
  plan.p_less = {.t = tempered ? p.temperature : 1, .on = p.p_less};
  plan.typical_p = {.p = p.typical_p, .min_keep = p.min_keep};
  plan.top_k = {.k = p.top_k};
  plan.top_p = {.p = p.top_p, .min_keep = p.min_keep};
  plan.min_p = {.p = p.min_p, .min_keep = p.min_keep};
  plan.xtc = {.probability = p.xtc_probability,
              .threshold = p.xtc_threshold,
              .protected_tokens = p.xtc_protected,
              .marginal = p.xtc_marginal,
              .min_keep = p.min_keep};
  plan.scatter = {.strength = p.scatter_strength,
                  .radius = p.scatter_radius,
                  .k = p.scatter_k,
                  .steps = p.scatter_steps,
                  .adaptive = p.scatter_adaptive,
                  .strength_min = p.scatter_strength_min,
                  .strength_max = p.scatter_strength_max,
                  .entropy_target = p.scatter_entropy_target,
                  .absorption = p.scatter_absorption,
                  .absorption_last_n = p.scatter_absorption_last_n,
                  .collision = p.scatter_collision};
  plan.temperature = {.t = p.temperature, .range = p.dynatemp_range, .exponent = p.dynatemp_exponent};
  plan.takes_best = p.order.empty() && (p.temperature < coldest || p.top_k == 1);
  lay_out_steps(plan);
  for (std::size_t i = 0; i < plan.count; ++i) {
    visit_stage(plan, plan.steps[i], [](auto& stage) {
      if constexpr (requires { stage.build(); }) stage.build();
    });
  }
  return shared;
}

/// Runs a standard_plan: the Plan that call.hpp asks for.
class standard_run {
 public:
  explicit standard_run(const standard_plan& plan) noexcept : plan_(plan) {}

  truncation_engine engine() const noexcept { return truncate::choose(plan_.params.engine, false); }
  draw_method method() const noexcept { return plan_.params.draw; }
  bool greedy() const noexcept { return plan_.takes_best; }

  token_id run(row& r, sequence& q, wanted what) const noexcept {
    if (plan_.count == 0 || plan_.steps[0] != place::logit_bias) r.add_biases({});
    for (std::size_t i = 0; i < plan_.count; ++i) {
      const place at = plan_.steps[i];
      if (r.status() != sample_status::ok || r.empty()) break;
      if (plan_.takes_best && at >= place::top_n_sigma) break;
      r.settle_temperature();
      if (what == wanted::token && rejects_from(i)) return reject(r, q, i);
      if (is_truncation(at) && plan_.params.truncation == truncation_rule::joint) {
        cut_jointly(r, i);
      } else {
        visit_stage(plan_, at, [&](const auto& stage) {
          if constexpr (row_stage<std::remove_cvref_t<decltype(stage)>>) {
            stage(r);
          } else {
            stage(r, q);
          }
        });
      }
    }
    if (r.status() == sample_status::ok && r.empty()) r.fail(sample_status::no_token_left);
    if (r.status() != sample_status::ok || what == wanted::survivors) return no_token;
    if (plan_.takes_best) return r.argmax();
    return plan_.params.draw == draw_method::gumbel ? gumbel{}(r, q) : softmax{}(r, q);
  }

  bool prepare(sequence& q, workspace& memory, std::size_t vocab_size) const noexcept {
    bool ready = true;
    for (std::size_t i = 0; i < plan_.count; ++i) {
      visit_stage(plan_, plan_.steps[i], [&](const auto& stage) {
        if constexpr (requires { stage.prepare(q, memory, vocab_size); })
          ready = ready && stage.prepare(q, memory, vocab_size);
      });
    }
    return ready;
  }

 private:
  static bool is_truncation(place at) noexcept { return at >= place::top_k && at <= place::min_p; }
  /// Whether a stage runs at step `from` or after it.
  bool runs(place at, std::size_t from) const noexcept {
    const auto end = plan_.steps.begin() + std::ptrdiff_t(plan_.count);
    return std::find(plan_.steps.begin() + std::ptrdiff_t(from), end, at) != end;
  }

  /// The joint rule: all judge the row as it stands here, and the shortest of the prefixes stays. `i` becomes
  /// the last of the steps that this covers.
  void cut_jointly(row& r, std::size_t& i) const noexcept {
    kernel::rank_key last = 0;
    for (;; ++i) {
      switch (plan_.steps[i]) {
        case place::top_k:
          if (std::size_t(plan_.top_k.k) < r.size())
            last = std::max(last, r.top_cut(std::size_t(plan_.top_k.k)));
          break;
        case place::top_p:
          last = std::max(last, r.mass_cut(plan_.top_p.p, plan_.top_p.min_keep));
          break;
        default:
          last = std::max(last, r.threshold_cut(plan_.min_p.threshold(r), plan_.min_p.min_keep));
      }
      if (i + 1 == plan_.count || !is_truncation(plan_.steps[i + 1])) break;
    }
    r.keep_from(last);
  }

  /// Rejection takes over at step i where all that is left is top-p (with top-k under the joint rule), min-p
  /// and a fixed temperature: min-p after top-p keeps the same tokens as beside it.
  bool rejects_from(std::size_t i) const noexcept {
    if (truncate::choose(plan_.params.engine, true) != truncation_engine::rejection) return false;
    const bool joint = plan_.params.truncation == truncation_rule::joint;
    if (joint && i > 0 && is_truncation(plan_.steps[i - 1])) return false;
    const auto next = [&](place at) { return i < plan_.count && plan_.steps[i] == at ? ++i != 0 : false; };
    if (joint) next(place::top_k);
    if (!next(place::top_p)) return false;
    next(place::min_p);
    if (next(place::temperature) && (plan_.temperature.range > 0 || plan_.temperature.t < coldest))
      return false;
    return i == plan_.count;
  }

  token_id reject(row& r, sequence& q, std::size_t from) const noexcept {
    r.reference();
    const bool joint = plan_.params.truncation == truncation_rule::joint;
    const nucleus_test test(r, plan_.top_p.p, plan_.top_p.min_keep);
    kernel::rank_key low = 0;  // what the other filters remove
    if (runs(place::min_p, from)) low = r.threshold_cut(plan_.min_p.threshold(r), plan_.min_p.min_keep);
    if (joint && runs(place::top_k, from) && std::size_t(plan_.top_k.k) < r.size())
      low = std::max(low, r.top_cut(std::size_t(plan_.top_k.k)));
    if (low != 0) --low;
    const auto inside = [&](kernel::rank_key key) noexcept { return test(key); };
    if (plan_.params.draw == draw_method::softmax) {
      r.keep_from(std::max(low + 1, truncate::search(test.spared(), inside)));
      if (runs(place::temperature, from)) plan_.temperature(r);
      return softmax{}(r, q);
    }
    if (runs(place::temperature, from)) plan_.temperature(r);
    draw::gumbel_max race(r, {q.seed(), q.position()});
    const auto probe = [&]() noexcept { return test.probe(); };
    const auto draw = [&](kernel::rank_key above) noexcept { return race.winner(above); };
    const auto exactly = [&]() noexcept {
      return std::max(low + 1, truncate::search(test.spared(), inside));
    };
    return kernel::id_of(
        truncate::reject(test.spared(), low, probe, truncate::most_rounds, draw, inside, exactly).winner);
  }

  const standard_plan& plan_;
};

}  // namespace SLUICE_ISA
}  // namespace detail

SLUICE_ALWAYS_INLINE standard_chain::standard_chain(sampling_params params) {
  if (const problem found = check(params)) detail::refuse(found);
  plan_ = detail::make_plan(std::move(params));
}

SLUICE_ALWAYS_INLINE sample_result standard_chain::sample(logits_view logits, sluice::sequence& q,
                                                          const call_options& options) const noexcept {
  return call::sample(detail::standard_run(*plan_), logits, q, options);
}

SLUICE_ALWAYS_INLINE std::span<const candidate> standard_chain::distribution(
    logits_view logits, sluice::sequence& q, const call_options& options) const noexcept {
  return call::distribution(detail::standard_run(*plan_), logits, q, options);
}

SLUICE_ALWAYS_INLINE bool standard_chain::prepare(sluice::sequence& q, std::size_t vocab_size,
                                                  workspace* memory) const noexcept {
  return call::prepare(detail::standard_run(*plan_), q, vocab_size, memory);
}

SLUICE_ALWAYS_INLINE const sampling_params& standard_chain::params() const noexcept { return plan_->params; }

}  // namespace sluice::inline v1
