// The oracle's chain: the fixed order, any other order, both truncation rules, greedy.
#pragma once

#include <sluice/params.hpp>

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "oracle_draw.hpp"
#include "oracle_dry.hpp"
#include "oracle_edits.hpp"
#include "oracle_filters.hpp"
#include "oracle_scatter.hpp"
#include "oracle_xtc.hpp"

namespace tests::oracle {

/// The stages that an order can name; `penalties` is repetition, then frequency and presence.
enum class step {
  penalties,
  dry,
  top_n_sigma,
  p_less,
  typ_p,
  top_k,
  top_p,
  min_p,
  xtc,
  scatter,
  temperature
};

struct step_name {
  step what;
  std::string_view name;
  char letter;  // 0: none
};

inline constexpr std::array step_names{step_name{step::penalties, "penalties", 'e'},
                                       step_name{step::dry, "dry", 'd'},
                                       step_name{step::top_n_sigma, "top_n_sigma", 's'},
                                       step_name{step::top_k, "top_k", 'k'},
                                       step_name{step::typ_p, "typ_p", 'y'},
                                       step_name{step::top_p, "top_p", 'p'},
                                       step_name{step::min_p, "min_p", 'm'},
                                       step_name{step::xtc, "xtc", 'x'},
                                       step_name{step::scatter, "scatter", 'r'},
                                       step_name{step::temperature, "temperature", 't'},
                                       step_name{step::p_less, "p_less", '\0'}};

/// An order written in full names or in letters; aliases are the library's affair.
inline std::vector<step> parse_order(std::string_view order) {
  std::vector<step> steps;
  const auto add = [&](std::string_view word, bool is_name) {
    for (const step_name& s : step_names)
      if (is_name ? s.name == word : s.letter == word[0] && s.letter != '\0') return steps.push_back(s.what);
    throw std::invalid_argument("the oracle does not know " + std::string(word));
  };
  const auto is_name = [&](const step_name& s) { return s.name == order; };
  const bool names =
      order.find(';') != std::string_view::npos || std::any_of(step_names.begin(), step_names.end(), is_name);
  while (!order.empty()) {
    const std::size_t length = names ? std::min(order.find(';'), order.size()) : 1;
    add(order.substr(0, length), names);
    order.remove_prefix(std::min(order.size(), names ? length + 1 : 1));
  }
  return steps;
}

/// What one step of a generation is given.
struct situation {
  std::span<const float> logits;
  std::span<const std::uint32_t> mask = {};
  std::vector<bias> call_bias = {};
  history past = {};
  place_in_time now = {};
};

struct outcome {
  bool saw_nan = false;
  std::vector<chance> law;   // ranked; empty: no token is left
  real distance = infinite;  // of the nearest decision to its cut
  draw_input input;          // what the draw draws from; meaningless where the law is empty

  bool empty() const { return law.empty(); }

  drawn draw(sluice::draw_method method, const place_in_time& now) const {
    return method == sluice::draw_method::gumbel ? gumbel_draw(input, now)
                                                 : softmax_draw_with(input, softmax_word(now));
  }
};

class walk {
 public:
  walk(const sluice::sampling_params& params, const situation& given) : p_(params), given_(given) {
    std::vector<bias> logit_bias;
    std::vector<bias> language_bias;
    for (const sluice::token_bias& b : params.logit_bias) logit_bias.push_back({b.token, b.bias});
    for (const sluice::token_bias& b : params.language_bias) language_bias.push_back({b.token, b.bias});
    row_ = enter(given.logits, given.mask,
                 compose_bias(logit_bias, language_bias, given.call_bias, params.suppressed_tokens));
  }

  /// mask, bias, repetition, DRY, frequency and presence, the filters, scatter, temperature, draw.
  outcome fixed() {
    if (row_.size() == 0) return finish();
    repeat_penalty();
    dry_penalty();
    count_penalty();
    if (p_.temperature < 1e-5f || p_.top_k == 1) {
      keep_argmax(row_);
      return finish();
    }
    for (const step s : {step::top_n_sigma, step::p_less, step::typ_p}) run(s);
    truncate({step::top_k, step::top_p, step::min_p});
    for (const step s : {step::xtc, step::scatter}) run(s);
    temper(true);
    return finish();
  }

  outcome ordered(const std::vector<step>& order) {
    if (row_.size() == 0) return finish();
    temperature_named_ = std::find(order.begin(), order.end(), step::temperature) != order.end();
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (truncates(order[i])) {
        std::vector<step> group;
        while (i < order.size() && truncates(order[i])) group.push_back(order[i++]);
        --i;
        truncate(group);
      } else if (order[i] == step::temperature) {
        temper(std::none_of(order.begin() + std::ptrdiff_t(i) + 1, order.end(),
                            [&](step s) { return active(s); }));
      } else {
        run(order[i]);
      }
    }
    return finish();
  }

 private:
  static bool truncates(step s) { return s == step::top_k || s == step::top_p || s == step::min_p; }

  /// A stage at its neutral value does no work: what stands before it is still the last.
  bool active(step s) const {
    switch (s) {
      case step::penalties:
        return p_.penalty_last_n != 0 &&
               (p_.repetition_penalty != 1 || p_.frequency_penalty != 0 || p_.presence_penalty != 0);
      case step::dry:
        return p_.dry_multiplier != 0 && p_.dry_base >= 1 && p_.dry_penalty_last_n != 0;
      case step::top_n_sigma:
        return p_.top_n_sigma > 0;
      case step::p_less:
        return p_.p_less;
      case step::typ_p:
        return p_.typical_p < 1;
      case step::top_k:
        return p_.top_k > 0;
      case step::top_p:
        return p_.top_p < 1;
      case step::min_p:
        return p_.min_p > 0;
      case step::xtc:
        return p_.xtc_probability > 0 && p_.xtc_threshold <= 0.5f;
      case step::scatter:
        return scatter_of(p_).active();
      case step::temperature:
        return p_.temperature != 1 || p_.dynatemp_range > 0;
    }
    return false;
  }

  static scatter_settings scatter_of(const sluice::sampling_params& p) {
    return {.strength = p.scatter_strength,
            .radius = p.scatter_radius,
            .k = p.scatter_k,
            .steps = p.scatter_steps,
            .adaptive = p.scatter_adaptive,
            .strength_min = p.scatter_strength_min,
            .strength_max = p.scatter_strength_max,
            .entropy_target = p.scatter_entropy_target,
            .absorption = p.scatter_absorption,
            .collision = p.scatter_collision,
            .absorption_last_n = p.scatter_absorption_last_n};
  }

  void repeat_penalty() {
    repetition(row_, given_.past, p_.repetition_penalty, p_.penalty_last_n,
               p_.repetition_normalized ? repetition_form::normalized : repetition_form::plain);
  }
  void dry_penalty() {
    dry(row_, given_.past,
        {.multiplier = p_.dry_multiplier,
         .base = p_.dry_base,
         .allowed_length = p_.dry_allowed_length,
         .last_n = p_.dry_penalty_last_n,
         .breakers = p_.dry_sequence_breakers});
  }
  void count_penalty() {
    frequency_presence(row_, given_.past, p_.frequency_penalty, p_.presence_penalty, p_.penalty_last_n,
                       p_.occurrence_counts_prompt ? counted::everything : counted::generated);
  }

  void truncate(const std::vector<step>& group) {
    if (p_.truncation == sluice::truncation_rule::sequential) {
      for (const step s : group) run(s);
      return;
    }
    note_reference();
    const auto named = [&](step s) { return std::find(group.begin(), group.end(), s) != group.end(); };
    joint_truncation(row_, named(step::top_k) ? p_.top_k : 0, named(step::top_p) ? p_.top_p : 1,
                     named(step::min_p) ? p_.min_p : 0, p_.min_keep);
  }

  void run(step s) {
    if (s != step::penalties && s != step::dry && s != step::scatter) note_reference();
    switch (s) {
      case step::penalties:
        repeat_penalty();
        count_penalty();
        return wrote();
      case step::dry:
        dry_penalty();
        return wrote();
      case step::top_n_sigma:
        return top_n_sigma(row_, p_.top_n_sigma);
      case step::p_less:
        if (p_.p_less) p_less(row_, temperature_named_ ? p_.temperature : 1);
        return;
      case step::typ_p:
        return typical_p(row_, p_.typical_p, p_.min_keep);
      case step::top_k:
        return top_k(row_, p_.top_k);
      case step::top_p:
        return top_p(row_, p_.top_p, p_.min_keep);
      case step::min_p:
        return min_p(row_, p_.min_p, p_.min_keep);
      case step::xtc:
        return exclude();
      case step::scatter:
        scatter(row_, given_.past, scatter_of(p_), given_.now.coin(scatter_gate));
        return wrote();
      case step::temperature:
        return;
    }
  }

  void exclude() {
    const xtc_settings s{.probability = p_.xtc_probability,
                         .threshold = p_.xtc_threshold,
                         .protected_tokens = p_.xtc_protected,
                         .min_keep = p_.min_keep};
    if (!p_.xtc_marginal || p_.xtc_probability == 1) return xtc(row_, s, given_.now.coin(xtc_coin));
    if (!s.off()) marginal_ = {.probability = s.probability, .removable = xtc_removable(row_, s)};
  }

  void temper(bool last) {
    if (p_.temperature < 1e-5f) return keep_argmax(row_);
    const float t = temperature_of(row_, p_.temperature, p_.dynatemp_range, p_.dynatemp_exponent);
    if (t < 1e-5f) return keep_argmax(row_);
    if (last) {
      temperature_ = t;
      return;
    }
    for (token& x : row_.tokens) x.logit = saturated(double(x.logit) / double(t));
    wrote();
  }

  /// The reference of the scores is the maximum before the first filter, and anew after a stage that writes.
  void note_reference() {
    if (!reference_) reference_ = row_.max();
  }
  void wrote() {
    if (reference_) reference_ = row_.max();
  }

  outcome finish() {
    outcome result;
    result.saw_nan = saw_nan(given_.logits, given_.mask);
    result.distance = row_.distance;
    if (row_.size() == 0) return result;
    note_reference();
    result.input = {row_, temperature_, *reference_, marginal_};
    result.law = law(result.input, p_.draw);
    return result;
  }

  const sluice::sampling_params& p_;
  const situation& given_;
  row row_;
  std::optional<float> reference_;
  marginal_xtc marginal_;
  float temperature_ = 1;
  bool temperature_named_ = true;
};

inline outcome run(const sluice::sampling_params& params, const situation& given) {
  if (params.order.empty()) return walk(params, given).fixed();
  return walk(params, given).ordered(parse_order(params.order));
}

}  // namespace tests::oracle
