// The oracle's stages: one table, from which the fixed order, order texts and random chains are made. A new
// stage is its function in a file of the oracle and one entry here.
#pragma once

#include <sluice/params.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle_draw.hpp"
#include "oracle_dry.hpp"
#include "oracle_edits.hpp"
#include "oracle_filters.hpp"
#include "oracle_scatter.hpp"
#include "oracle_xtc.hpp"
#include "random_values.hpp"

namespace tests::oracle {

using sluice::sampling_params;

/// A row on its way through a chain.
struct walk {
  const sampling_params& params;
  const history& past;
  const place_in_time& now;
  row left = {};

  bool temperature_named = true;  // by the order; the fixed order names every stage
  bool is_last = false;           // no active stage follows the one whose turn it is

  // Left for the draw.
  float temperature = 1;
  marginal_xtc marginal = {};
  /// The zero of the scores: the maximum before the first filter, and anew after a stage that writes.
  std::optional<float> reference = {};

  void note_reference() {
    if (!reference) reference = left.max();
  }
  void wrote() {
    if (reference) reference = left.max();
  }
};

enum class effect {
  writes,   // logits
  removes,  // tokens
  cuts,     // removes all but a prefix of the ranking: joint truncation takes the shortest
  tempers   // writes, or leaves the temperature to the draw
};

/// For which row and history random parameters are made.
struct trial_of {
  std::size_t size;
  const std::vector<int>& history;
};

struct stage {
  std::string_view name;  // in an order; entries of one name are named together
  char letter;            // 0: none
  int place;              // in the fixed order
  effect does;
  bool (*active)(const sampling_params&);  // a stage at its neutral value does no work
  void (*run)(walk&);
  std::size_t (*count)(walk&);  // a cut's `run`: how many of the best tokens stay
  /// Sets the parameters, now and then neutral ones.
  void (*randomise)(generator&, sampling_params&, const trial_of&);
};

inline scatter_settings scatter_of(const sampling_params& p) {
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

inline void exclude_top_choices(walk& w) {
  const sampling_params& p = w.params;
  const xtc_settings s{.probability = p.xtc_probability,
                       .threshold = p.xtc_threshold,
                       .protected_tokens = p.xtc_protected,
                       .min_keep = p.min_keep};
  if (!p.xtc_marginal || p.xtc_probability == 1) return xtc(w.left, s, w.now.coin(xtc_coin));
  if (!s.off()) w.marginal = {.probability = s.probability, .removable = xtc_removable(w.left, s)};
}

inline void temper(walk& w) {
  const sampling_params& p = w.params;
  if (p.temperature < 1e-5f) return keep_argmax(w.left);
  const float t = temperature_of(w.left, p.temperature, p.dynatemp_range, p.dynatemp_exponent);
  if (t < 1e-5f) return keep_argmax(w.left);
  if (w.is_last) {
    w.temperature = t;
    return;
  }
  for (token& x : w.left.tokens) x.logit = saturated(double(x.logit) / double(t));
  w.wrote();
}

inline void random_scatter(generator& g, sampling_params& p) {
  if (!g.chance(0.25)) return;
  if (g.chance(0.8)) p.scatter_strength = random_float(g, 0, 1);
  p.scatter_radius = random_float(g, 0.2, 6);
  p.scatter_k = g.between(1, 100);
  p.scatter_steps = g.between(1, 3);
  p.scatter_adaptive = g.chance(0.4);
  p.scatter_strength_min = random_float(g, 0, 0.2);
  p.scatter_strength_max = random_float(g, 0.2, 0.6);
  p.scatter_entropy_target = random_float(g, 0.1, 0.9);
  if (g.chance(0.3)) p.scatter_absorption = random_float(g, 0, 0.5);
  p.scatter_absorption_last_n = random_window(g);
  if (g.chance(0.3)) p.scatter_collision = random_float(g, 0, 1);
}

inline constexpr std::array stages{
    stage{
        .name = "penalties",  // repetition
        .letter = 'e',
        .place = 200,
        .does = effect::writes,
        .active = [](const sampling_params& p) { return p.penalty_last_n != 0 && p.repetition_penalty != 1; },
        .run =
            [](walk& w) {
              repetition(
                  w.left, w.past, w.params.repetition_penalty, w.params.penalty_last_n,
                  w.params.repetition_normalized ? repetition_form::normalized : repetition_form::plain);
            },
        .count = nullptr,
        .randomise =
            [](generator& g, sampling_params& p, const trial_of&) {
              if (g.chance(0.3)) p.repetition_penalty = random_float(g, 0.7, 2);
              p.penalty_last_n = random_window(g);
              p.repetition_normalized = g.chance(0.3);
            }},
    stage{.name = "dry",
          .letter = 'd',
          .place = 300,
          .does = effect::writes,
          .active =
              [](const sampling_params& p) {
                return p.dry_multiplier != 0 && p.dry_base >= 1 && p.dry_penalty_last_n != 0;
              },
          .run =
              [](walk& w) {
                dry(w.left, w.past,
                    {.multiplier = w.params.dry_multiplier,
                     .base = w.params.dry_base,
                     .allowed_length = w.params.dry_allowed_length,
                     .last_n = w.params.dry_penalty_last_n,
                     .breakers = w.params.dry_sequence_breakers});
              },
          .count = nullptr,
          .randomise =
              [](generator& g, sampling_params& p, const trial_of& t) {
                if (!g.chance(0.3)) return;
                p.dry_multiplier = random_float(g, -0.5, 2);
                p.dry_base = g.chance(0.1) ? 1.0f : random_float(g, 0.95, 2.5);
                p.dry_allowed_length = g.between(0, 4);
                p.dry_penalty_last_n = random_window(g);
                p.dry_sequence_breakers = random_breakers(g, t.history);
              }},
    stage{.name = "penalties",  // frequency and presence
          .letter = 'e',
          .place = 400,
          .does = effect::writes,
          .active =
              [](const sampling_params& p) {
                return p.penalty_last_n != 0 && (p.frequency_penalty != 0 || p.presence_penalty != 0);
              },
          .run =
              [](walk& w) {
                frequency_presence(
                    w.left, w.past, w.params.frequency_penalty, w.params.presence_penalty,
                    w.params.penalty_last_n,
                    w.params.occurrence_counts_prompt ? counted::everything : counted::generated);
              },
          .count = nullptr,
          .randomise =
              [](generator& g, sampling_params& p, const trial_of&) {
                if (g.chance(0.3)) p.frequency_penalty = random_float(g, -1, 1);
                if (g.chance(0.3)) p.presence_penalty = random_float(g, -1, 2);
                p.occurrence_counts_prompt = g.chance(0.7);
              }},
    stage{.name = "top_n_sigma",
          .letter = 's',
          .place = 500,
          .does = effect::removes,
          .active = [](const sampling_params& p) { return p.top_n_sigma > 0; },
          .run = [](walk& w) { top_n_sigma(w.left, w.params.top_n_sigma); },
          .count = nullptr,
          .randomise =
              [](generator& g, sampling_params& p, const trial_of&) {
                if (g.chance(0.15)) p.top_n_sigma = random_float(g, 0.2, 3);
              }},
    stage{.name = "p_less",
          .letter = 0,
          .place = 600,
          .does = effect::removes,
          .active = [](const sampling_params& p) { return p.p_less; },
          .run =
              [](walk& w) {
                if (w.params.p_less) p_less(w.left, w.temperature_named ? w.params.temperature : 1);
              },
          .count = nullptr,
          .randomise = [](generator& g, sampling_params& p, const trial_of&) { p.p_less = g.chance(0.1); }},
    stage{.name = "top_h",
          .letter = 0,
          .place = 650,
          .does = effect::removes,
          .active = [](const sampling_params& p) { return p.top_h > 0 && p.top_h < 1; },
          .run = [](walk& w) { top_h(w.left, w.params.top_h); },
          .count = nullptr,
          .randomise =
              [](generator& g, sampling_params& p, const trial_of&) {
                if (g.chance(0.15)) p.top_h = random_float(g, 0, 1);
              }},
    stage{.name = "typ_p",
          .letter = 'y',
          .place = 700,
          .does = effect::removes,
          .active = [](const sampling_params& p) { return p.typical_p < 1; },
          .run = [](walk& w) { typical_p(w.left, w.params.typical_p, w.params.min_keep); },
          .count = nullptr,
          .randomise =
              [](generator& g, sampling_params& p, const trial_of&) {
                if (g.chance(0.15)) p.typical_p = random_float(g, 0.05, 1);
              }},
    stage{.name = "top_k",
          .letter = 'k',
          .place = 800,
          .does = effect::cuts,
          .active = [](const sampling_params& p) { return p.top_k > 0; },
          .run = nullptr,
          .count = [](walk& w) { return top_k_count(w.left, w.params.top_k); },
          .randomise =
              [](generator& g, sampling_params& p, const trial_of& t) {
                if (g.chance(0.3)) p.top_k = static_cast<int>(g.below(g.chance(0.5) ? 60 : t.size + 5));
              }},
    stage{.name = "top_p",
          .letter = 'p',
          .place = 900,
          .does = effect::cuts,
          .active = [](const sampling_params& p) { return p.top_p < 1; },
          .run = nullptr,
          .count = [](walk& w) { return top_p_count(w.left, w.params.top_p, w.params.min_keep); },
          .randomise =
              [](generator& g, sampling_params& p, const trial_of&) {
                if (g.chance(0.35)) p.top_p = g.chance(0.05) ? 0.0f : random_float(g, 0.05, 1);
              }},
    stage{.name = "min_p",
          .letter = 'm',
          .place = 1000,
          .does = effect::cuts,
          .active = [](const sampling_params& p) { return p.min_p > 0; },
          .run = nullptr,
          .count = [](walk& w) { return min_p_count(w.left, w.params.min_p, w.params.min_keep); },
          .randomise =
              [](generator& g, sampling_params& p, const trial_of&) {
                if (g.chance(0.3)) p.min_p = g.chance(0.05) ? 1.0f : random_float(g, 0.001, 0.5);
              }},
    stage{.name = "xtc",
          .letter = 'x',
          .place = 1100,
          .does = effect::removes,
          .active = [](const sampling_params& p) { return p.xtc_probability > 0 && p.xtc_threshold <= 0.5f; },
          .run = exclude_top_choices,
          .count = nullptr,
          .randomise =
              [](generator& g, sampling_params& p, const trial_of& t) {
                if (!g.chance(0.3)) return;
                p.xtc_probability = g.chance(0.2) ? 1.0f : random_float(g, 0, 1);
                p.xtc_threshold = g.chance(0.1) ? 0.0f : random_float(g, 0, 0.52);
                p.xtc_protected = random_ids(g, t.size, g.below(3));
              }},
    stage{.name = "scatter",
          .letter = 'r',
          .place = 1200,
          .does = effect::writes,
          .active = [](const sampling_params& p) { return scatter_of(p).active(); },
          .run = [](walk& w) { scatter(w.left, w.past, scatter_of(w.params), w.now.coin(scatter_gate)); },
          .count = nullptr,
          .randomise = [](generator& g, sampling_params& p, const trial_of&) { random_scatter(g, p); }},
    stage{.name = "temperature",
          .letter = 't',
          .place = 1300,
          .does = effect::tempers,
          .active = [](const sampling_params& p) { return p.temperature != 1 || p.dynatemp_range > 0; },
          .run = temper,
          .count = nullptr,
          .randomise =
              [](generator& g, sampling_params& p, const trial_of&) {
                constexpr std::array cold{0.0f, -1.0f, 1e-6f, 9.9e-6f};
                if (g.chance(0.6)) p.temperature = random_float(g, 0.2, 2.5);
                if (g.chance(0.07)) p.temperature = g.pick(cold);
                if (g.chance(0.2)) {
                  p.dynatemp_range = random_float(g, 0, 2);
                  p.dynatemp_exponent = random_float(g, 0.3, 3);
                }
              }},
};

}  // namespace tests::oracle
