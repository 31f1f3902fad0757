#include "cases.hpp"

#include <array>
#include <string>
#include <utility>

#include "../support.hpp"

namespace golden {
namespace {

using sluice::draw_method;
using sluice::sampling_params;
using sluice::truncation_engine;
using sluice::truncation_rule;

constexpr std::array engines{
    std::pair{truncation_engine::automatic, "automatic"}, std::pair{truncation_engine::sort, "sort"},
    std::pair{truncation_engine::select, "select"}, std::pair{truncation_engine::rejection, "rejection"}};
constexpr std::array draws{std::pair{draw_method::gumbel, "gumbel"},
                           std::pair{draw_method::softmax, "softmax"}};

/// Everything that a request may ask for, by chance; values on a grid of 2^-7.
sampling_params mixed(tests::generator& g) {
  const auto one_in = [&](std::size_t n) { return g.below(n) == 0; };
  const auto part = [&](int low, int high) { return static_cast<float>(g.between(low, high)) * 0x1p-7f; };
  sampling_params p{.temperature = part(30, 250)};
  if (one_in(3)) p.repetition_penalty = part(100, 200);
  if (one_in(3)) p.frequency_penalty = part(-60, 100);
  if (one_in(3)) p.presence_penalty = part(-60, 100);
  p.penalty_last_n = one_in(2) ? -1 : g.between(1, 40);
  p.repetition_normalized = one_in(3);
  p.occurrence_counts_prompt = !one_in(3);
  if (one_in(3)) p.dry_multiplier = part(20, 200);
  p.dry_allowed_length = g.between(0, 3);
  if (one_in(4)) p.top_n_sigma = part(60, 300);
  if (one_in(6)) p.p_less = true;
  if (one_in(5)) p.typical_p = part(20, 127);
  if (one_in(2)) p.top_k = g.between(2, 300);
  if (one_in(2)) p.top_p = part(20, 127);
  if (one_in(2)) p.min_p = part(0, 30);
  if (one_in(3)) p.min_keep = g.between(1, 5);
  if (one_in(2)) p.truncation = truncation_rule::joint;
  if (one_in(3)) p.xtc_probability = part(20, 128), p.xtc_threshold = part(0, 30);
  if (one_in(4)) p.scatter_strength = part(5, 60), p.scatter_k = g.between(2, 80);
  if (one_in(4)) p.dynatemp_range = part(0, 100);
  p.engine = engines[g.below(engines.size())].first;
  p.draw = draws[g.below(draws.size())].first;
  return p;
}

}  // namespace

std::vector<test_case> cases() {
  std::vector<test_case> all;
  const auto add = [&](std::string name, sampling_params p) -> test_case& {
    all.push_back({.name = std::move(name), .params = std::move(p)});
    return all.back();
  };
  const auto later = [&](std::string name, std::uint64_t start, sampling_params p) {
    add(std::move(name), std::move(p)).start = start;
  };
  const auto given = [&](std::string name, extras what, sampling_params p) {
    add(std::move(name), std::move(p)).added = what;
  };

  // The draw.
  add("neutral", {});
  add("neutral, softmax", {.draw = draw_method::softmax});
  add("temperature .8", {.temperature = 0.8f});
  add("temperature .2, softmax", {.temperature = 0.2f, .draw = draw_method::softmax});
  add("temperature 3", {.temperature = 3});
  add("greedy", {.temperature = 0});
  later("positions around 2^32", 0xFFFFFFFFull - 80, {.temperature = 0.9f});
  later("positions near 2^63, softmax", 1ull << 63,
        {.temperature = 0.9f, .xtc_probability = 0.5f, .draw = draw_method::softmax});
  add("dynamic temperature", {.dynatemp_range = 0.5f});
  add("dynamic temperature, exponent 2", {.temperature = 0.4f, .dynatemp_range = 1, .dynatemp_exponent = 2});

  // Edits.
  add("repetition", {.repetition_penalty = 1.3f});
  add("repetition, normalized", {.repetition_penalty = 1.3f, .repetition_normalized = true});
  add("repetition, 16 tokens", {.temperature = 0.7f, .repetition_penalty = 1.8f, .penalty_last_n = 16});
  add("frequency", {.frequency_penalty = 0.7f});
  add("presence, reward", {.presence_penalty = -1.5f});
  add("frequency and presence, generated",
      {.frequency_penalty = 0.5f, .presence_penalty = 1, .occurrence_counts_prompt = false});
  add("dry", {.dry_multiplier = 0.8f});
  add("dry, allowed 1", {.dry_multiplier = 2, .dry_allowed_length = 1});
  add("dry, breakers",
      {.dry_multiplier = 1, .dry_allowed_length = 1, .dry_sequence_breakers = {{3}, {17, 2}}});
  add("dry, greedy, 20 tokens", {.temperature = 0, .dry_multiplier = 3, .dry_penalty_last_n = 20});
  add("top-k 1, penalties",
      {.top_k = 1, .repetition_penalty = 1.2f, .frequency_penalty = 0.3f, .presence_penalty = 0.2f});
  add("logit bias", {.logit_bias = {{0, 3}, {2, -1.5f}, {31, 4}, {2, 5}}});
  add("language bias, suppressed", {.language_bias = {{1, 2}, {40, 3.5f}}, .suppressed_tokens = {0, 3, 256}});
  given("mask", extras::mask, {.temperature = 0.8f});
  given("mask, greedy", extras::mask, {.temperature = 0});
  given("mask, softmax", extras::mask, {.draw = draw_method::softmax});
  given("bias of the call", extras::bias, {.logit_bias = {{1, 1}}});
  given("mask and bias of the call", extras::both, {.temperature = 1.2f});

  // Filters.
  add("top-n-sigma 1", {.top_n_sigma = 1});
  add("top-n-sigma 2.5, softmax", {.top_n_sigma = 2.5f, .draw = draw_method::softmax});
  add("p-less", {.p_less = true});
  add("p-less, temperature 1.7", {.temperature = 1.7f, .p_less = true});
  add("typical-p .5", {.typical_p = 0.5f});
  add("typical-p .95", {.temperature = 0.9f, .typical_p = 0.95f});
  add("typical-p .1, at least 4, softmax", {.min_keep = 4, .typical_p = 0.1f, .draw = draw_method::softmax});
  add("top-k 3", {.top_k = 3});
  add("top-k 40", {.temperature = 0.8f, .top_k = 40});
  add("top-k 700, softmax", {.top_k = 700, .draw = draw_method::softmax});
  add("top-p 0", {.top_p = 0});
  add("top-p .3, at least 3", {.min_keep = 3, .top_p = 0.3f});
  for (const auto& [engine, name] : engines)
    for (const auto& [draw, law] : draws)
      add(std::string("top-p .9, ") + name + ", " + law,
          {.temperature = 1.4f, .top_p = 0.9f, .engine = engine, .draw = draw});
  add("min-p .05", {.temperature = 0.9f, .min_p = 0.05f});
  add("min-p 1, softmax", {.min_p = 1, .draw = draw_method::softmax});
  add("min-p .6, at least 5", {.min_keep = 5, .min_p = 0.6f});
  for (const auto& [engine, name] : engines)
    for (const auto& [draw, law] : draws)
      for (const bool joint : {false, true})
        add(std::string("top-k 40, top-p .9, min-p .02, ") + (joint ? "joint, " : "sequential, ") + name +
                ", " + law,
            {.temperature = 1.2f,
             .top_k = 40,
             .top_p = 0.9f,
             .min_p = 0.02f,
             .truncation = joint ? truncation_rule::joint : truncation_rule::sequential,
             .engine = engine,
             .draw = draw});

  // XTC and scatter.
  add("xtc", {.xtc_probability = 0.5f, .xtc_threshold = 0.02f});
  add("xtc, protected", {.xtc_probability = 1, .xtc_threshold = 0.01f, .xtc_protected = {0, 2, 7}});
  add("xtc, marginal",
      {.temperature = 0.8f, .xtc_probability = 0.5f, .xtc_threshold = 0.02f, .xtc_marginal = true});
  add("xtc, marginal, certain, top-k 20, softmax",
      {.top_k = 20, .xtc_probability = 1, .xtc_marginal = true, .draw = draw_method::softmax});
  add("scatter", {.temperature = 0.8f, .scatter_strength = 0.18f});
  add("scatter, wide, softmax", {.scatter_strength = 0.9f,
                                 .scatter_radius = 6,
                                 .scatter_k = 300,
                                 .scatter_steps = 3,
                                 .draw = draw_method::softmax});
  add("scatter, gated", {.scatter_strength = 0.3f, .scatter_collision = 0.25f});
  add("scatter, adaptive, absorbing",
      {.scatter_strength = 0.14f, .scatter_adaptive = true, .scatter_absorption = 0.06f});

  // Other kinds of row.
  const auto of_form = [&](form kind, std::string name) {
    const auto row = [&](const char* what, sampling_params p, extras added = extras::none) {
      test_case& c = add(name + ", " + what, std::move(p));
      c.row = kind;
      c.added = added;
    };
    row("temperature .8", {.temperature = 0.8f});
    row("top-k 40, top-p .95, min-p .05", {.top_k = 40, .top_p = 0.95f, .min_p = 0.05f});
    row("top-p .9, softmax", {.top_p = 0.9f, .draw = draw_method::softmax});
    row("mask and bias, typical-p .8", {.typical_p = 0.8f}, extras::both);
    row("penalties, scatter",
        {.repetition_penalty = 1.2f, .frequency_penalty = 0.4f, .scatter_strength = 0.2f});
  };
  of_form(form::f16, "f16");
  of_form(form::bf16, "bf16");
  of_form(form::sparse, "sparse");

  // Orders.
  for (const char* order : {"temperature;top_p;min_p", "top_p;top_k;penalties;temperature",
                            "xtc;scatter;top_n_sigma;min_p", "edskypmxrt", "p_less;temperature;dry;typ_p"})
    add(std::string("order ") + order, {.order = order,
                                        .temperature = 0.7f,
                                        .top_k = 30,
                                        .top_p = 0.9f,
                                        .min_p = 0.01f,
                                        .typical_p = 0.95f,
                                        .top_n_sigma = 2,
                                        .p_less = true,
                                        .xtc_probability = 0.4f,
                                        .xtc_threshold = 0.05f,
                                        .repetition_penalty = 1.1f,
                                        .dry_multiplier = 0.5f,
                                        .scatter_strength = 0.1f});

  // Everything.
  for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
    const std::string name = std::string("mixed ") + letter;
    tests::generator g(seed_of(name));
    sampling_params p = mixed(g);
    given(name, extras::both, std::move(p));
  }
  return all;
}

}  // namespace golden
