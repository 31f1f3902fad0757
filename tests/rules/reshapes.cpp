#include <doctest/doctest.h>

#include "stages.hpp"

namespace {

using tests::generator;
using tests::random_float;

using scattered = std::pair<sluice::scatter, sluice::sampling_params>;

scattered random_medium(generator& g) {
  sluice::sampling_params p;
  p.scatter_strength = random_float(g, 0.01, 1);
  p.scatter_radius = random_float(g, 0.2, 6);
  p.scatter_k = g.between(2, g.chance(0.1) ? 1024 : 100);
  p.scatter_steps = g.between(1, 3);
  p.scatter_collision = g.chance(0.7) ? 1 : random_float(g, 0.1, 1);
  return {sluice::scatter{.strength = p.scatter_strength,
                          .radius = p.scatter_radius,
                          .k = p.scatter_k,
                          .steps = p.scatter_steps,
                          .collision = p.scatter_collision},
          p};
}

const std::vector<sluice::scatter> scatter_off{{.strength = 0},
                                               {.strength = 1, .k = 1},
                                               {.strength = 1, .radius = 0},
                                               {.strength = 1, .steps = 0},
                                               {.strength = 1, .collision = 0}};

}  // namespace

TEST_CASE("scatter keeps the rules and gives the oracle's row") {
  tests::check_values<sluice::scatter>(
      random_medium, {.seed = 301, .neutral = scatter_off, .odds = tests::odds_rule::reshaped});
}

TEST_CASE("adaptive scatter keeps the rules and gives the oracle's row") {
  tests::check_values<sluice::scatter>(
      [](generator& g) {
        scattered s = random_medium(g);
        s.second.scatter_adaptive = s.first.adaptive = true;
        s.second.scatter_strength_min = s.first.strength_min = random_float(g, 0, 0.3);
        s.second.scatter_strength_max = s.first.strength_max = random_float(g, 0.3, 1);
        s.second.scatter_entropy_target = s.first.entropy_target = random_float(g, 0.05, 0.95);
        return s;
      },
      {.seed = 302, .odds = tests::odds_rule::reshaped});
}

TEST_CASE("absorbing scatter keeps the rules, the argmax apart, and gives the oracle's row") {
  tests::check_values<sluice::scatter>(
      [](generator& g) {
        scattered s = random_medium(g);
        s.second.scatter_absorption = s.first.absorption = random_float(g, 0.01, 0.6);
        s.second.scatter_absorption_last_n = s.first.absorption_last_n = tests::random_window(g);
        if (g.chance(0.3)) s.second.scatter_strength = s.first.strength = 0;
        return s;
      },
      {.seed = 303, .history = 80, .argmax = tests::argmax_rule::may_go, .odds = tests::odds_rule::reshaped});
}

TEST_CASE("temperature keeps the rules and has the oracle's law") {
  tests::check_values<sluice::temperature>(
      [](generator& g) {
        sluice::sampling_params p;
        p.temperature = g.chance(0.1) ? g.pick(std::array{0.0f, 1e-4f, 1e4f}) : random_float(g, 0.1, 4);
        return std::pair{sluice::temperature{.t = p.temperature}, p};
      },
      {.seed = 304, .neutral = {{.t = 1}}, .odds = tests::odds_rule::reshaped});
}

TEST_CASE("dynamic temperature keeps the rules and has the oracle's law") {
  tests::check_values<sluice::temperature>(
      [](generator& g) {
        sluice::sampling_params p;
        p.temperature = random_float(g, 0.3, 3);
        p.dynatemp_range = random_float(g, 0.05, 3);
        p.dynatemp_exponent = random_float(g, 0.3, 3);
        return std::pair{sluice::temperature{
                             .t = p.temperature, .range = p.dynatemp_range, .exponent = p.dynatemp_exponent},
                         p};
      },
      {.seed = 305, .odds = tests::odds_rule::reshaped});
}

TEST_CASE("a chain of one stage that draws by softmax has the oracle's law too") {
  tests::comparison compare;
  generator g(306);
  for (std::size_t i = tests::scaled(2'000); i > 0; --i) {
    tests::trial t;
    t.logits = tests::make_row(g);
    t.seed = g.next();
    t.params.draw = sluice::draw_method::softmax;
    t.params.temperature = random_float(g, 0.2, 3);
    compare(t);
  }
  tests::check_report(compare.report());
}
