// What is measured: the chains of the table, by the name of their stage.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sluice/sluice.hpp>
#include <string>
#include <vector>

#include "../tests/support.hpp"

namespace bench {

/// The tokens that stand before the one that is drawn.
///   natural    frequencies by Zipf's law, low ids common; a third of it repeats phrases of 3 to 24 tokens
///   scattered  every token as likely
///   periodic   12 tokens again and again
enum class past { none, natural, scattered, periodic };

inline std::vector<sluice::token_id> history(past kind, std::size_t length, std::size_t vocab,
                                             tests::generator& g) {
  std::vector<sluice::token_id> tokens;
  tokens.reserve(length + 24);
  const double span = std::log((double(vocab) + 2.7) / 2.7);
  const std::size_t phase = g.below(12);
  tests::generator letters(12);
  std::vector<sluice::token_id> period(12);
  for (auto& token : period) token = sluice::token_id(letters.below(vocab));
  while (tokens.size() < length) {
    if (kind == past::periodic) {
      tokens.push_back(period[(tokens.size() + phase) % period.size()]);
    } else if (kind == past::scattered) {
      tokens.push_back(sluice::token_id(g.below(vocab)));
    } else if (tokens.size() > 32 && g.chance(0.04)) {
      const std::size_t from = g.below(tokens.size() - 24);
      const auto count = std::size_t(g.between(3, 24));
      for (std::size_t i = 0; i < count; ++i) tokens.push_back(tokens[from + i]);
    } else {
      const double rank = 2.7 * (std::exp(span * g.uniform()) - 1);
      tokens.push_back(sluice::token_id(std::min(std::size_t(rank), vocab - 1)));
    }
  }
  tokens.resize(length);
  return tokens;
}

struct work {
  std::string stage;
  sluice::sampling_params params = {};
  std::vector<sluice::truncation_engine> engines = {};  // beside automatic
  past kind = past::none;
  std::size_t length = 0;
};

inline std::vector<work> works() {
  using engine = sluice::truncation_engine;
  const std::vector<engine> three{engine::sort, engine::select, engine::rejection};
  const std::vector<engine> reference{engine::sort};
  const sluice::sampling_params usual{.temperature = 0.8f, .top_k = 40, .top_p = 0.95f, .min_p = 0.05f};
  const auto with = [&usual](auto change) {
    sluice::sampling_params params = usual;
    change(params);
    return params;
  };
  const sluice::sampling_params penalties = with([](auto& p) {
    p.repetition_penalty = 1.1f;
    p.frequency_penalty = 0.2f;
    p.presence_penalty = 0.2f;
  });
  const sluice::sampling_params dry = with([](auto& p) { p.dry_multiplier = 0.8f; });
  return {
      {.stage = "greedy", .params = {.temperature = 0}},
      {.stage = "temperature", .params = {.temperature = 0.8f}},
      {.stage = "min_p", .params = {.temperature = 0.8f, .min_p = 0.05f}},
      {.stage = "top_n_sigma", .params = {.temperature = 0.8f, .top_n_sigma = 1}},
      {.stage = "top_k", .params = {.temperature = 0.8f, .top_k = 40}, .engines = reference},
      {.stage = "usual", .params = usual, .engines = reference},
      {.stage = "usual_joint",
       .params = with([](auto& p) { p.truncation = sluice::truncation_rule::joint; }),
       .engines = three},
      {.stage = "usual_xtc", .params = with([](auto& p) { p.xtc_probability = 0.5f; })},
      {.stage = "usual_scatter", .params = with([](auto& p) { sluice::presets::scatter(p, "creative"); })},
      {.stage = "usual_penalties", .params = penalties, .kind = past::natural, .length = 1'024},
      {.stage = "usual_penalties_scattered", .params = penalties, .kind = past::scattered, .length = 1'024},
      {.stage = "usual_dry_natural", .params = dry, .kind = past::natural, .length = 32'768},
      {.stage = "usual_dry_periodic", .params = dry, .kind = past::periodic, .length = 32'768},
      {.stage = "top_p", .params = {.top_p = 0.95f}, .engines = three},
      {.stage = "top_p_t2", .params = {.temperature = 2, .top_p = 0.95f}, .engines = three},
      {.stage = "p_less", .params = {.p_less = true}},
      {.stage = "typical_p", .params = {.typical_p = 0.95f}, .engines = reference},
  };
}

}  // namespace bench
