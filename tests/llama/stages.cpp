// Every stage that llama.cpp has too, and whole chains: the same survivors, the same probabilities. What
// differs, and why, is in exceptions.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../rows.hpp"
#include "laws.hpp"

namespace tests {
namespace {

using params = sluice::sampling_params;

constexpr std::size_t long_vocab = 131'072;

/// Rows of V up to 2,048: without ties, since those fall by accident there; `holes` adds tokens at -inf.
enum class holes { none, some };

std::vector<float> short_row(generator& g, holes which) {
  const auto size = std::size_t(std::exp2(g.uniform(1, 11)));
  const std::array kinds{shape::gaussian, shape::peaked, shape::holes};
  return make_row(g, kinds[g.below(which == holes::some ? 3 : 2)], size);
}

/// As models give them: masses by a power of the rank, ids in no order.
std::vector<float> long_row(generator& g) {
  std::vector<float> row(long_vocab);
  const double power = g.uniform(1.5, 2.5);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = float(g.uniform(18, 18.5) - power * std::log(double(i + 1)));
  for (std::size_t i = row.size(); i > 1; --i) std::swap(row[i - 1], row[g.below(i)]);
  return row;
}

/// Many short rows and a few long ones, each with parameters of its own.
template <class Draw>
void compare_many(const std::string& name, std::uint64_t seed, holes which, Draw draw) {
  generator g(seed);
  tally t, longer;
  for (std::size_t i = 0; i < scaled(10'000); ++i) {
    const std::vector<float> row = short_row(g, which);
    const auto [p, history] = draw(g, row.size());
    compare(t, row, p, history);
  }
  for (std::size_t i = 0; i < scaled(50); ++i) {
    const std::vector<float> row = long_row(g);
    const auto [p, history] = draw(g, row.size());
    compare(longer, row, p, history);
  }
  report(name, t);
  report(name + ", long", longer);
  check_tally(t);
  check_tally(longer);
}

/// A stage without history.
template <class Draw>
void compare_stage(const std::string& name, std::uint64_t seed, holes which, Draw draw) {
  compare_many(name, seed, which, [&](generator& g, std::size_t size) {
    params p = draw(g, size);
    p.order = name;
    return std::pair(p, std::vector<int>());
  });
}

/// A stage that reads the entropy, on rows without -inf. Of a long row it sees the best 1,000 tokens: over
/// more the entropy there is not good to 1e-4 (exceptions.cpp).
template <class Draw>
void compare_best(const std::string& name, std::uint64_t seed, Draw draw) {
  compare_many(name + ", by entropy", seed, holes::none, [&](generator& g, std::size_t size) {
    params p = draw(g, size);
    p.order = size == long_vocab ? "top_k;" + name : name;
    p.top_k = 1'000;
    return std::pair(p, std::vector<int>());
  });
}

params draw_top_k(generator& g, std::size_t size) {
  return {.top_k = g.chance(0.5) ? g.between(-1, 64) : g.between(1, int(size) + 2)};
}
params draw_top_p(generator& g) {
  return {.min_keep = g.chance(0.8) ? 0 : g.between(1, 20), .top_p = float(g.uniform(0, 1))};
}
params draw_min_p(generator& g) {
  return {.min_keep = g.chance(0.8) ? 0 : g.between(1, 20),
          .min_p = float(std::exp(g.uniform(std::log(1e-4), 0)))};
}
params draw_typical(generator& g) {
  return {.min_keep = g.chance(0.8) ? 0 : g.between(1, 20), .typical_p = float(g.uniform(0.05, 0.99))};
}
params draw_sigma(generator& g) { return {.top_n_sigma = float(g.uniform(0.1, 1.5))}; }
params draw_xtc(generator& g, holes which) {
  return {.min_keep = which == holes::some || g.chance(0.8) ? 0 : g.between(1, 4),
          .xtc_probability = g.chance(0.9) ? 1.0f : 0.0f,
          .xtc_threshold = float(g.uniform(0.001, 0.6))};
}
params draw_temperature(generator& g) {
  return {.temperature = g.chance(0.05) ? 0.0f : float(g.uniform(0.1, 3))};
}
params draw_dynamic(generator& g) {
  const double middle = g.uniform(0.3, 2);
  return {.temperature = float(middle),
          .dynatemp_range = float(g.uniform(0.01, middle - 0.1)),
          .dynatemp_exponent = float(g.uniform(0.3, 3))};
}
params draw_penalties(generator& g) {
  const auto one = [&g](double low, double high, float off) {
    return g.chance(0.3) ? off : float(g.uniform(low, high));
  };
  return {.repetition_penalty = one(0.8, 1.6, 1),
          .frequency_penalty = one(-0.5, 1.5, 0),
          .presence_penalty = one(-0.5, 1.5, 0),
          .penalty_last_n = g.between(0, 100)};
}

/// Breakers of one and two tokens of the history; longer ones may overlap (exceptions.cpp).
params draw_dry(generator& g, const std::vector<int>& history) {
  params p{.dry_multiplier = float(g.uniform(0.1, 1.5)),
           .dry_base = float(g.uniform(1.0, 2.0)),
           .dry_allowed_length = g.between(1, 5),
           .dry_penalty_last_n = g.chance(0.5) ? 1'000 : g.between(0, 80)};
  for (int i = g.between(0, 2); i > 0 && !history.empty(); --i) {
    std::vector<int> breaker(std::size_t(g.between(1, 2)));
    for (int& token : breaker) token = history[g.below(history.size())];
    p.dry_sequence_breakers.push_back(breaker);
  }
  return p;
}

TEST_SUITE("stages") {
  TEST_CASE("top-k keeps the same tokens") { compare_stage("top_k", 1, holes::some, draw_top_k); }
  TEST_CASE("top-p keeps the same tokens") {
    compare_stage("top_p", 2, holes::some, [](generator& g, std::size_t) { return draw_top_p(g); });
  }
  TEST_CASE("min-p keeps the same tokens") {
    compare_stage("min_p", 3, holes::some, [](generator& g, std::size_t) { return draw_min_p(g); });
  }
  TEST_CASE("typical-p keeps the same tokens") {
    compare_best("typ_p", 4, [](generator& g, std::size_t) { return draw_typical(g); });
  }
  TEST_CASE("top-n-sigma keeps the same tokens") {
    compare_stage("top_n_sigma", 5, holes::some, [](generator& g, std::size_t) { return draw_sigma(g); });
  }
  TEST_CASE("XTC removes the same tokens once its coin has fallen") {
    for (const holes which : {holes::some, holes::none})
      compare_stage("xtc", 6, which, [which](generator& g, std::size_t) { return draw_xtc(g, which); });
  }
  TEST_CASE("temperature gives the same probabilities") {
    compare_stage("temperature", 7, holes::some,
                  [](generator& g, std::size_t) { return draw_temperature(g); });
  }
  TEST_CASE("dynamic temperature gives the same probabilities") {
    compare_best("temperature", 8, [](generator& g, std::size_t) { return draw_dynamic(g); });
  }

  TEST_CASE("penalties change the same logits") {
    compare_many("penalties", 9, holes::some, [](generator& g, std::size_t size) {
      params p = draw_penalties(g);
      p.order = "penalties";
      return std::pair(p, make_history(g, size, g.below(150)));
    });
  }
  TEST_CASE("DRY changes the same logits") {
    compare_many("dry", 10, holes::some, [](generator& g, std::size_t size) {
      const std::vector<int> history = make_history(g, size, g.below(100));
      params p = draw_dry(g, history);
      p.order = "dry";
      return std::pair(p, history);
    });
  }
  TEST_CASE("logit bias changes the same logits") {
    compare_many("logit bias", 11, holes::some, [](generator& g, std::size_t size) {
      params p{.order = "top_k"};  // off: the bias alone
      for (int token = -1; token < int(size); token += g.between(1, 400)) {
        const float bias = g.chance(0.1) && token > 0 ? minus_infinity : float(g.uniform(-10, 10));
        if (token >= 0) p.logit_bias.push_back({token, bias});
      }
      return std::pair(p, std::vector<int>());
    });
  }

  TEST_CASE("greedy takes the same token") {
    generator g(12);
    llama_sampler* const greedy = llama_sampler_init_greedy();
    for (std::size_t i = 0; i < scaled(10'000); ++i) {
      const std::vector<float> row = make_row(g);  // ties too: both take the lowest id
      std::vector<llama_token_data> data = candidates(row);
      llama_token_data_array array = array_of(data);
      llama_sampler_apply(greedy, &array);
      const law here = ours(row, {.temperature = 0});
      REQUIRE(here.size() == 1);
      CHECK(here[0].id == array.data[array.selected].id);
    }
    llama_sampler_free(greedy);
  }

  TEST_CASE("dist draws by the law that sluice tells") {
    generator g(13);
    llama_sampler* const dist = llama_sampler_init_dist(42);
    const std::size_t draws = scaled(200'000);
    for (int i = 0; i < 5; ++i) {
      std::vector<float> row(8);
      for (float& l : row) l = float(1.5 * g.gaussian());
      const law here = ours(row, {});
      std::vector<double> seen(row.size());
      for (std::size_t draw = 0; draw < draws; ++draw) {
        std::vector<llama_token_data> data = candidates(row);
        llama_token_data_array array = array_of(data);
        llama_sampler_apply(dist, &array);
        ++seen[std::size_t(array.data[array.selected].id)];
      }
      double chi_square = 0;
      for (const auto& token : here) {
        const double expected = double(token.probability) * double(draws);
        chi_square += std::pow(seen[std::size_t(token.id)] - expected, 2) / expected;
      }
      CHECK(chi_square < 29.9);  // 7 degrees of freedom, one in ten thousand
    }
    llama_sampler_free(dist);
  }
}

TEST_SUITE("chains") {
  TEST_CASE("a parameter a little off is noticed") {
    generator g(19);
    const std::vector<int> history{1, 2, 3, 1, 2};
    const auto noticed = [&](const params& here, const params& there) {
      std::size_t rows = 0;
      for (int i = 0; i < 100; ++i) {
        std::vector<float> row(200);
        for (float& l : row) l = float(2.5 * g.gaussian());
        rows += judge(row, here, there, history).of == verdict::different;
      }
      CHECK_MESSAGE(rows > 5, to_text(here), " for ", to_text(there), ": ", rows, " rows of 100");
    };
    noticed({.order = "top_k", .top_k = 40}, {.order = "top_k", .top_k = 41});
    noticed({.order = "top_p", .top_p = 0.9f}, {.order = "top_p", .top_p = 0.89f});
    noticed({.order = "min_p", .min_p = 0.05f}, {.order = "min_p", .min_p = 0.055f});
    noticed({.order = "typ_p", .typical_p = 0.9f}, {.order = "typ_p", .typical_p = 0.89f});
    noticed({.order = "top_n_sigma", .top_n_sigma = 1}, {.order = "top_n_sigma", .top_n_sigma = 1.1f});
    noticed({.order = "xtc", .xtc_probability = 1, .xtc_threshold = 0.05f},
            {.order = "xtc", .xtc_probability = 1, .xtc_threshold = 0.06f});
    noticed({.order = "temperature", .temperature = 0.8f}, {.order = "temperature", .temperature = 0.801f});
    noticed({.order = "penalties", .repetition_penalty = 1.1f, .penalty_last_n = 64},
            {.order = "penalties", .repetition_penalty = 1.11f, .penalty_last_n = 64});
    noticed({.order = "penalties", .frequency_penalty = 1, .penalty_last_n = 4},
            {.order = "penalties", .frequency_penalty = 1, .penalty_last_n = 5});
    noticed({.order = "dry", .dry_multiplier = 1, .dry_penalty_last_n = 64},
            {.order = "dry", .dry_multiplier = 1.01f, .dry_penalty_last_n = 64});
    noticed({.order = "temperature;top_p", .temperature = 0.8f, .top_p = 0.9f},
            {.order = "top_p;temperature", .temperature = 0.8f, .top_p = 0.9f});
  }

  TEST_CASE("the usual chain gives the same law") {
    compare_many("the usual chain", 20, holes::some, [](generator& g, std::size_t size) {
      params p = draw_penalties(g);
      p.order = "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature";
      p.temperature = 0.8f;
      p.top_k = 40;
      p.top_p = 0.95f;
      p.min_p = 0.05f;
      return std::pair(p, make_history(g, size, g.below(150)));
    });
  }

  TEST_CASE("stages in any order give the same law") {
    compare_many("any order", 21, holes::none, [](generator& g, std::size_t size) {
      const std::vector<int> history = make_history(g, size, g.below(150));
      std::vector<std::string> stages;
      const auto maybe = [&](const char* name) {
        const bool yes = g.chance(0.5);
        if (yes) stages.push_back(name);
        return yes;
      };
      params p;
      const auto take = [&p](const params& from, auto... members) { ((p.*members = from.*members), ...); };
      // Who counts tokens at -inf or sums logits of any size differs (exceptions.cpp): typical-p stands
      // beside nothing that takes a token 103 nats down, top-n-sigma not beside DRY, dynamic temperature not
      // behind top-n-sigma, which leaves its tokens in the array.
      enum { neither, typical, sigma } const which = std::array{neither, typical, sigma}[g.below(3)];
      if (which == typical) {
        stages.push_back("typ_p");
        take(draw_typical(g), &params::typical_p);
      }
      if (which == sigma) {
        stages.push_back("top_n_sigma");
        take(draw_sigma(g), &params::top_n_sigma);
      }
      if (maybe("penalties")) {
        take(draw_penalties(g), &params::repetition_penalty, &params::presence_penalty,
             &params::penalty_last_n);
        if (which != typical) take(draw_penalties(g), &params::frequency_penalty);
      }
      if (which == neither && maybe("dry"))
        take(draw_dry(g, history), &params::dry_multiplier, &params::dry_base, &params::dry_allowed_length,
             &params::dry_penalty_last_n, &params::dry_sequence_breakers);
      const bool by_entropy = size == long_vocab && which != sigma;  // as in compare_best
      if (by_entropy) p.top_k = 1'000;
      if (!by_entropy && maybe("top_k")) take(draw_top_k(g, size), &params::top_k);
      if (maybe("top_p")) take(draw_top_p(g), &params::top_p);
      if (maybe("min_p")) take(draw_min_p(g), &params::min_p);
      if (maybe("xtc")) take(draw_xtc(g, holes::none), &params::xtc_probability, &params::xtc_threshold);
      if (maybe("temperature")) {
        take(which == sigma ? draw_temperature(g) : draw_dynamic(g), &params::temperature,
             &params::dynatemp_range, &params::dynatemp_exponent);
        if (which == typical) p.temperature += p.dynatemp_range + 1;
      }
      for (std::size_t i = stages.size(); i > 1; --i) std::swap(stages[i - 1], stages[g.below(i)]);
      if (by_entropy) stages.insert(stages.begin(), "top_k");
      for (const std::string& stage : stages) p.order += (p.order.empty() ? "" : ";") + stage;
      if (stages.empty()) p.order = "top_k";
      return std::pair(p, history);
    });
  }
}

}  // namespace
}  // namespace tests
