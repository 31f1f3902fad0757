#include <doctest/doctest.h>

#include "stages.hpp"

// A mass is within 2^-30 of the exact one, so a sum decides where it differs from its cut by more than twice
// that; a min-p cut is within rounding in double. Sums of logits may be made in float: 1e-6, as everywhere
// else.

namespace {

using tests::generator;
using tests::random_float;

constexpr double mass_error = 0x1p-28;
constexpr double cut_error = 1e-12;

}  // namespace

TEST_CASE("top-n-sigma keeps the rules and the oracle's survivors") {
  tests::check_values<sluice::top_n_sigma>(
      [](generator& g) {
        sluice::sampling_params p;
        p.top_n_sigma = random_float(g, 0.05, 4);
        return std::pair{sluice::top_n_sigma{.n = p.top_n_sigma}, p};
      },
      {.seed = 101, .neutral = {{.n = 0}, {.n = -1}}});
}

TEST_CASE("p-less keeps the rules and the oracle's survivors") {
  tests::check_values<sluice::p_less>(
      [](generator&) {
        sluice::sampling_params p;
        p.p_less = true;
        return std::pair{sluice::p_less{.t = 1}, p};
      },
      {.seed = 102, .neutral = {{.t = 1, .on = false}}});
}

TEST_CASE("top-h keeps the rules and the oracle's survivors") {
  tests::check_values<sluice::top_h>(
      [](generator& g) {
        sluice::sampling_params p;
        p.top_h = random_float(g, 0.01, 0.99);
        return std::pair{sluice::top_h{.h = p.top_h}, p};
      },
      {.seed = 108, .neutral = {{.h = 0}, {.h = 1}}});
}

TEST_CASE("typical-p keeps the rules and the oracle's survivors") {
  tests::check_values<sluice::typical_p>(
      [](generator& g) {
        sluice::sampling_params p;
        p.typical_p = random_float(g, 0.05, 1);
        p.min_keep = g.chance(0.3) ? g.between(0, 5) : 0;
        return std::pair{sluice::typical_p{.p = p.typical_p, .min_keep = p.min_keep}, p};
      },
      {.seed = 103, .neutral = {{.p = 1}}, .argmax = tests::argmax_rule::may_go});
}

TEST_CASE("top-k keeps the rules and the oracle's survivors") {
  tests::check_values<sluice::top_k>(
      [](generator& g) {
        sluice::sampling_params p;
        p.top_k = g.chance(0.5) ? g.between(1, 60) : g.between(1, 5'000);
        return std::pair{sluice::top_k{.k = p.top_k}, p};
      },
      {.seed = 104, .near = 0, .neutral = {{.k = 0}, {.k = -5}}});
}

TEST_CASE("top-p keeps the rules and the oracle's survivors") {
  tests::check_values<sluice::top_p>(
      [](generator& g) {
        sluice::sampling_params p;
        p.top_p =
            g.chance(0.1) ? g.pick(std::array{0.0f, 0.5f, 0.25f, 1e-30f, 0.9999f}) : random_float(g, 0.01, 1);
        p.min_keep = g.chance(0.3) ? g.between(0, 5) : 0;
        return std::pair{sluice::top_p{.p = p.top_p, .min_keep = p.min_keep}, p};
      },
      {.seed = 105, .near = mass_error, .neutral = {{.p = 1}, {.p = 1, .min_keep = 3}}});
}

TEST_CASE("min-p keeps the rules and the oracle's survivors") {
  tests::check_values<sluice::min_p>(
      [](generator& g) {
        sluice::sampling_params p;
        p.min_p = g.chance(0.1) ? g.pick(std::array{1.0f, 0.5f, 1e-30f, 1e-45f}) : random_float(g, 0.001, 1);
        p.min_keep = g.chance(0.3) ? g.between(0, 5) : 0;
        return std::pair{sluice::min_p{.p = p.min_p, .min_keep = p.min_keep}, p};
      },
      {.seed = 106, .near = cut_error, .neutral = {{.p = 0}, {.p = 0, .min_keep = 3}}});
}

TEST_CASE("XTC keeps the rules and the oracle's survivors, its best tokens apart") {
  tests::check_values<sluice::xtc>(
      [](generator& g) {
        sluice::sampling_params p;
        p.xtc_probability = g.chance(0.3) ? 1.0f : random_float(g, 0.05, 1);
        p.xtc_threshold = g.chance(0.2) ? g.pick(std::array{0.0f, 0.5f}) : random_float(g, 0, 0.5);
        p.xtc_protected = g.chance(0.3) ? std::vector<int>{0, 2, 100'000} : std::vector<int>{};
        p.min_keep = g.chance(0.3) ? g.between(0, 5) : 0;
        return std::pair{sluice::xtc{.probability = p.xtc_probability,
                                     .threshold = p.xtc_threshold,
                                     .protected_tokens = p.xtc_protected,
                                     .min_keep = p.min_keep},
                         p};
      },
      {.seed = 107,
       .near = mass_error,
       .neutral = {{.probability = 0}, {.probability = 1, .threshold = 0.51f}},
       .argmax = tests::argmax_rule::may_go});
}

TEST_CASE("the coin-free XTC removes nothing and has the oracle's law") {
  tests::check_values<sluice::xtc>(
      [](generator& g) {
        sluice::sampling_params p;
        p.xtc_marginal = true;
        p.xtc_probability = random_float(g, 0.05, 0.99);
        p.xtc_threshold = random_float(g, 0.001, 0.5);
        return std::pair{
            sluice::xtc{.probability = p.xtc_probability, .threshold = p.xtc_threshold, .marginal = true}, p};
      },
      {.seed = 108,
       .near = mass_error,
       .neutral = {{.probability = 0, .marginal = true}},
       .odds = tests::odds_rule::reshaped});
}
