#include <doctest/doctest.h>

#include <vector>

#include <sluice/chain/check.hpp>
#include <sluice/params/presets.hpp>

using sluice::sampling_params;
namespace presets = sluice::presets;

namespace {

void everything_else_is_neutral(const sampling_params& p) {
  CHECK_FALSE(p.seed.has_value());
  CHECK(p.order == "");
  CHECK(p.repetition_penalty == 1.0f);
  CHECK(p.frequency_penalty == 0.0f);
  CHECK(p.presence_penalty == 0.0f);
  CHECK(p.dry_multiplier == 0.0f);
  CHECK(p.dry_base == 1.75f);
  CHECK(p.dry_allowed_length == 2);
  CHECK(p.xtc_probability == 0.0f);
  CHECK(p.xtc_threshold == 0.1f);
  CHECK(p.typical_p == 1.0f);
  CHECK(p.top_n_sigma == 0.0f);
  CHECK_FALSE(p.p_less);
  CHECK(p.dynatemp_range == 0.0f);
  CHECK(p.scatter_strength == 0.0f);
  CHECK_FALSE(check(p));
}

struct scatter_values {
  float strength, radius;
  int k, steps;
  bool adaptive;
  float strength_min, strength_max, entropy_target, absorption, collision;
  int absorption_last_n;
  bool operator==(const scatter_values&) const = default;
};

scatter_values values_of(const sampling_params& p) {
  return {p.scatter_strength,     p.scatter_radius,           p.scatter_k,
          p.scatter_steps,        p.scatter_adaptive,         p.scatter_strength_min,
          p.scatter_strength_max, p.scatter_entropy_target,   p.scatter_absorption,
          p.scatter_collision,    p.scatter_absorption_last_n};
}

scatter_values preset(const char* name) {
  sampling_params params;
  CHECK_FALSE(presets::scatter(params, name));
  CHECK_FALSE(check(params));
  return values_of(params);
}

}  // namespace

TEST_CASE("the preset cli is greedy without filters") {
  const sampling_params p = presets::cli();
  CHECK(p.temperature == 0.0f);
  CHECK(p.top_k == 0);
  CHECK(p.top_p == 1.0f);
  CHECK(p.min_p == 0.0f);
  CHECK(p.dry_penalty_last_n == -1);
  CHECK(p.dry_sequence_breakers.empty());
  CHECK(p.penalty_last_n == -1);
  everything_else_is_neutral(p);
}

TEST_CASE("the preset server takes its breakers from the caller") {
  const sampling_params p = presets::server({{13}, {25}, {1}, {9, 10}});
  CHECK(p.temperature == 0.8f);
  CHECK(p.top_k == 40);
  CHECK(p.top_p == 0.9f);
  CHECK(p.min_p == 0.1f);
  CHECK(p.dry_penalty_last_n == 64);
  CHECK(p.dry_sequence_breakers == std::vector<std::vector<sluice::token_id>>{{13}, {25}, {1}, {9, 10}});
  CHECK(p.penalty_last_n == -1);
  everything_else_is_neutral(p);
}

TEST_CASE("an interactive command line has the values of the server") {
  const sampling_params run = presets::run({{13}}), server = presets::server({{13}});
  for (const auto& f : sluice::detail::fields) {
    if (f.real) CHECK(run.*f.real == server.*f.real);
    if (f.integer) CHECK(run.*f.integer == server.*f.integer);
    if (f.breakers) CHECK(run.*f.breakers == server.*f.breakers);
  }
  CHECK(presets::run().dry_sequence_breakers.empty());
}

TEST_CASE("explicitly no breakers stay none") { CHECK(presets::server({}).dry_sequence_breakers.empty()); }

TEST_CASE("the preset llama_server starts as llama-server does") {
  const sampling_params p = presets::llama_server();
  CHECK(p.temperature == 0.8f);
  CHECK(p.top_k == 40);
  CHECK(p.top_p == 0.95f);
  CHECK(p.min_p == 0.05f);
  CHECK(p.penalty_last_n == 64);
  CHECK(p.dry_penalty_last_n == -1);
  everything_else_is_neutral(p);
}

TEST_CASE("the scatter presets are those of its document") {
  CHECK(preset("subtle") == scatter_values{0.12f, 2.0f, 64, 1, false, 0.02f, 0.30f, 0.55f, 0, 1, 64});
  CHECK(preset("creative") == scatter_values{0.18f, 2.5f, 64, 1, false, 0.02f, 0.30f, 0.55f, 0, 1, 64});
  CHECK(preset("adaptive") == scatter_values{0.14f, 2.5f, 64, 1, true, 0.02f, 0.30f, 0.55f, 0, 1, 64});
  CHECK(preset("gated") == scatter_values{0.30f, 2.5f, 64, 1, false, 0.02f, 0.30f, 0.55f, 0, 0.25f, 64});
  CHECK(preset("adaptive_absorbing") ==
        scatter_values{0.14f, 2.5f, 64, 1, true, 0.02f, 0.30f, 0.55f, 0.06f, 1, 64});
  CHECK(preset("adaptive-absorbing") == preset("adaptive_absorbing"));
}

TEST_CASE("a scatter preset sets all of scatter and nothing else") {
  sampling_params params = {.temperature = 0.7f,
                            .top_k = 12,
                            .scatter_radius = 9,
                            .scatter_k = 7,
                            .scatter_steps = 3,
                            .scatter_strength_min = 0.2f,
                            .scatter_strength_max = 0.9f,
                            .scatter_entropy_target = 0.1f,
                            .scatter_absorption_last_n = 5};
  CHECK_FALSE(presets::scatter(params, "adaptive_absorbing"));
  CHECK_FALSE(presets::scatter(params, "gated"));
  CHECK(values_of(params) == preset("gated"));
  CHECK(params.temperature == 0.7f);
  CHECK(params.top_k == 12);
}

TEST_CASE("an unknown scatter preset is told, and nothing is set") {
  sampling_params params = {.scatter_strength = 0.5f};
  const sluice::problem p = presets::scatter(params, "wild");
  CHECK(p.field == "name");
  CHECK(p.text == "name must be one of subtle, creative, adaptive, gated, adaptive_absorbing, got \"wild\"");
  CHECK(params.scatter_strength == 0.5f);
}
