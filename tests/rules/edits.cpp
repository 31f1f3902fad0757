#include <doctest/doctest.h>

#include "stages.hpp"

namespace {

using tests::generator;
using tests::random_float;

template <class Stage>
tests::harness_options<Stage> edit_options(std::uint64_t seed, std::vector<Stage> neutral) {
  tests::harness_options<Stage> options;
  options.seed = seed;
  options.history = 100;
  options.neutral = std::move(neutral);
  options.argmax = tests::argmax_rule::may_go;
  options.odds = tests::odds_rule::reshaped;
  return options;
}

}  // namespace

TEST_CASE("logit bias keeps the rules and gives the oracle's row") {
  tests::check_values<sluice::logit_bias>(
      [](generator& g) {
        sluice::sampling_params p;
        for (int i = g.between(1, 6); i > 0; --i)
          p.logit_bias.push_back({g.between(0, 300), random_float(g, -5, 5)});
        if (g.chance(0.5)) p.logit_bias.push_back(p.logit_bias[0]);
        return std::pair{sluice::logit_bias{.biases = p.logit_bias}, p};
      },
      edit_options<sluice::logit_bias>(201, {{.biases = {}}}));
}

TEST_CASE("the repetition penalty keeps the rules, its shift defect apart, and gives the oracle's row") {
  auto options = edit_options<sluice::repetition_penalty>(202, {{.penalty = 1}});
  options.shift = tests::shift_rule::none;
  tests::check_values<sluice::repetition_penalty>(
      [](generator& g) {
        sluice::sampling_params p;
        p.repetition_penalty = random_float(g, 0.5, 3);
        p.penalty_last_n = tests::random_window(g);
        return std::pair{
            sluice::repetition_penalty{.penalty = p.repetition_penalty, .last_n = p.penalty_last_n}, p};
      },
      options);
}

TEST_CASE("the normalised repetition penalty keeps the rules, shift too, and gives the oracle's row") {
  tests::check_values<sluice::repetition_penalty>(
      [](generator& g) {
        sluice::sampling_params p;
        p.repetition_penalty = random_float(g, 0.5, 3);
        p.penalty_last_n = tests::random_window(g);
        p.repetition_normalized = true;
        return std::pair{sluice::repetition_penalty{
                             .penalty = p.repetition_penalty, .last_n = p.penalty_last_n, .normalized = true},
                         p};
      },
      edit_options<sluice::repetition_penalty>(203, {{.penalty = 1, .normalized = true}}));
}

TEST_CASE("frequency and presence keep the rules and give the oracle's row") {
  tests::check_values<sluice::frequency_presence>(
      [](generator& g) {
        sluice::sampling_params p;
        if (g.chance(0.8)) p.frequency_penalty = random_float(g, -1, 2);
        p.presence_penalty = random_float(g, -1, 2);
        p.penalty_last_n = tests::random_window(g);
        return std::pair{
            sluice::frequency_presence{
                .frequency = p.frequency_penalty, .presence = p.presence_penalty, .last_n = p.penalty_last_n},
            p};
      },
      edit_options<sluice::frequency_presence>(204, {{.frequency = 0, .presence = 0}}));
}

TEST_CASE("DRY keeps the rules and gives the oracle's row") {
  tests::check_values<sluice::dry>(
      [](generator& g) {
        sluice::sampling_params p;
        p.dry_multiplier = random_float(g, -0.5, 2);
        p.dry_base = g.chance(0.1) ? 1.0f : random_float(g, 1, 2.5);
        p.dry_allowed_length = g.between(0, 4);
        p.dry_penalty_last_n = g.chance(0.5) ? -1 : g.between(1, 80);
        if (g.chance(0.5)) p.dry_sequence_breakers = {{g.between(0, 3)}, {g.between(0, 3), g.between(0, 3)}};
        return std::pair{sluice::dry{.multiplier = p.dry_multiplier,
                                     .base = p.dry_base,
                                     .allowed_length = p.dry_allowed_length,
                                     .last_n = p.dry_penalty_last_n,
                                     .sequence_breakers = p.dry_sequence_breakers},
                         p};
      },
      edit_options<sluice::dry>(
          205, {{.multiplier = 0}, {.multiplier = 1, .base = 0.5f}, {.multiplier = 1, .last_n = 0}}));
}
