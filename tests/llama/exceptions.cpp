// Where llama.cpp and sluice differ, each with the row that shows it. Everything else is in stages.cpp, where
// they agree.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../rows.hpp"
#include "laws.hpp"
#include "library.hpp"

namespace tests {
namespace {

using params = sluice::sampling_params;

std::vector<float> graded(std::size_t size) {
  std::vector<float> row(size);
  for (std::size_t i = 0; i < size; ++i) row[i] = -0.001f * float(i);
  return row;
}

/// What a sampler of llama.cpp picks; frees it.
std::int64_t selected(llama_sampler* sampler, const std::vector<float>& row) {
  std::vector<llama_token_data> data = candidates(row);
  llama_token_data_array array = array_of(data);
  llama_sampler_apply(sampler, &array);
  llama_sampler_free(sampler);
  return array.selected;
}

TEST_SUITE("exceptions") {
  TEST_CASE("a logit above 3e8 leaves the integers of their bucket sort, and the best token is lost") {
    std::vector<float> row = graded(2'000);
    row[7] = 4e8f;
    const params p{.order = "top_k", .top_k = 200};
    const auto has_best = [](const law& l) {
      return std::any_of(l.begin(), l.end(), [](const auto& token) { return token.id == 7; });
    };
    CHECK(has_best(ours(row, p)));
    CHECK_FALSE(has_best(theirs(row, p)));
    row[7] = 1e8f;
    CHECK(ids(ours(row, p)) == ids(theirs(row, p)));
  }

  TEST_CASE("typical-p: a token at -inf makes their entropy NaN, and the ranking by it is no ranking") {
    const params p{.order = "typ_p", .typical_p = 0.5f};
    const std::vector<float> row{3, 2.5f, 2, 1, 0};
    std::vector<float> with_hole = row;
    with_hole.push_back(minus_infinity);
    CHECK(ids(theirs(row, p)) == ids(ours(row, p)));
    CHECK(ids(ours(with_hole, p)) == ids(ours(row, p)));
    CHECK(ids(theirs(with_hole, p)) != ids(theirs(row, p)));
  }

  TEST_CASE("typical-p: so does a token whose probability is 0 in float, 103 nats below the best") {
    const params p{.order = "typ_p", .typical_p = 0.5f};
    const std::vector<float> row{3, 2.5f, 2, 1, 0, -90}, deeper{3, 2.5f, 2, 1, 0, -110};
    CHECK(ids(theirs(row, p)) == ids(ours(row, p)));
    CHECK(ids(ours(deeper, p)) == ids(ours(row, p)));
    CHECK(ids(theirs(deeper, p)) != ids(theirs(row, p)));
  }

  TEST_CASE("typical-p stops past the mass there and at it here") {
    const params p{.order = "typ_p", .typical_p = 0.5f};
    const std::vector<float> row{0, 0, 0, 0};
    CHECK(ours(row, p).size() == 2);
    CHECK(theirs(row, p).size() == 3);
  }

  TEST_CASE("entropy: over 131,072 tokens their float sum is off in the third digit") {
    std::vector<float> row(131'072);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(-1.5 * std::log(double(i + 1)));
    long double total = 0, entropy = 0;
    for (const float l : row) total += std::exp((long double)(l));
    for (const float l : row) {
      const long double q = std::exp((long double)(l)) / total;
      entropy -= q * std::log(q);
    }
    const params p{.order = "temperature", .temperature = 1, .dynatemp_range = 0.5f};
    const long double t = 0.5L + entropy / std::log((long double)(row.size()));
    long double tempered = 0;
    for (const float l : row) tempered += std::exp((long double)(l) / t);
    const auto off = [&](const law& l) { return std::abs(double(l[0].probability - 1 / tempered)); };
    CHECK(off(ours(row, p)) < 1e-6);
    CHECK(off(theirs(row, p)) > 1e-5);
  }

  TEST_CASE("top-n-sigma: their float sum of squares overflows beyond 1.8e19, and nothing is removed") {
    const params p{.order = "top_n_sigma", .top_n_sigma = 0.5f};
    const std::vector<float> row{1e20f, 0, -1e20f, -2e20f};
    CHECK(ids(ours(row, p)) == token_ids{0});
    CHECK(ids(theirs(row, p)) == token_ids{0, 1, 2, 3});
  }

  TEST_CASE("XTC with threshold 0: removed tokens count there, and may be all that is left") {
    const params p{.order = "xtc", .xtc_probability = 1, .xtc_threshold = 0};
    const std::vector<float> row{2, 1, 0, minus_infinity};
    CHECK(ids(ours(row, p)) == token_ids{2});
    CHECK(theirs(row, p).empty());
    CHECK(ids(theirs(std::vector<float>{2, 1, 0}, p)) == token_ids{2});
  }

  TEST_CASE("XTC: a token at the threshold is a top choice there, only one above it here") {
    const params p{.order = "xtc", .xtc_probability = 1, .xtc_threshold = 0.5f};
    const std::vector<float> row{0, 0};
    CHECK(ids(ours(row, p)) == token_ids{0, 1});
    CHECK(theirs(row, p).size() == 1);
  }

  TEST_CASE("min_keep: tokens at -inf count among those that XTC keeps there") {
    const params p{.order = "xtc", .min_keep = 2, .xtc_probability = 1, .xtc_threshold = 0.1f};
    const std::vector<float> row{0, 0.1f, 0.2f, minus_infinity};
    CHECK(ids(ours(row, p)) == token_ids{0, 1, 2});
    CHECK(ids(theirs(row, p)) == token_ids{0});
  }

  TEST_CASE("dist: a row without a token, a NaN or a +inf give a token there") {
    const std::vector<float> none(4, minus_infinity), nan{0, not_a_number, 5}, forced{0, plus_infinity, 5};
    CHECK(ours(none, {}).empty());
    CHECK(selected(llama_sampler_init_dist(1), none) == 3);
    CHECK(ids(ours(nan, {})) == token_ids{0, 2});
    CHECK(selected(llama_sampler_init_dist(1), {0, not_a_number, 5, not_a_number}) == 3);
    CHECK(ids(ours(forced, {})) == token_ids{1});
    CHECK(selected(llama_sampler_init_dist(1), forced) == 2);
  }

  TEST_CASE("logit bias: an id named twice adds up, there only while the candidates stand by id") {
    const std::vector<float> row{0, 0, 0};
    const params p{.order = "top_k", .logit_bias = {{1, 1.0f}, {1, 2.0f}}};
    const auto there = [&](bool by_id) {
      llama_sampler* const chain = chain_of(p, row.size());
      std::vector<llama_token_data> data = candidates(row);
      if (!by_id) std::reverse(data.begin(), data.begin() + 2);
      llama_token_data_array array = array_of(data);
      llama_sampler_apply(chain, &array);
      llama_sampler_free(chain);
      return data[by_id ? 1 : 0].logit;
    };
    CHECK(ours(row, p)[1].logit == 3);
    CHECK(there(true) == 3);
    CHECK(there(false) == 1);
  }

  TEST_CASE("equal logits: which of them stay is an accident there, and the lowest ids here") {
    std::vector<float> row(300, 1.0f);
    row[299] = 2;
    const params p{.order = "top_k", .top_k = 5};
    CHECK(ids(ours(row, p)) == token_ids{0, 1, 2, 3, 299});
    CHECK(ids(theirs(row, p)) == token_ids{0, 1, 3, 4, 299});
  }

  TEST_CASE("a window of -1 is off there, and the whole history here") {
    const std::vector<float> row{1, 1};
    const std::vector<int> history{0, 0};
    const params p{.order = "penalties", .frequency_penalty = 1, .penalty_last_n = -1};
    CHECK(ours(row, p, history)[0].logit == -1);
    CHECK(theirs(row, p, history)[0].probability == 0.5f);
  }

  TEST_CASE("DRY with allowed length 0: any token of the window is penalised there, here 0 counts as 1") {
    const std::vector<float> row{0, 0, 0, 0};
    const std::vector<int> history{0, 1, 2};
    const params p{.order = "dry", .dry_multiplier = 1, .dry_allowed_length = 0, .dry_penalty_last_n = 64};
    for (const auto& token : ours(row, p, history)) CHECK(token.probability == 0.25f);
    const law there = theirs(row, p, history);
    CHECK(there[1].probability < there[3].probability);
    CHECK(there[2].probability < there[3].probability);
  }

  TEST_CASE("DRY with base 2: the exponent is 128 there, an infinite penalty, and at most 127 here") {
    const std::vector<float> row{0, 0};
    const std::vector<int> history(200, 0);
    const params p{.order = "dry", .dry_multiplier = 1e-37f, .dry_base = 2, .dry_penalty_last_n = 1'000};
    const law here = ours(row, p, history);
    REQUIRE(here.size() == 2);
    CHECK(here[0].logit == doctest::Approx(-17.01).epsilon(0.001));  // 1e-37 * 2^127
    const law there = theirs(row, p, history);
    CHECK(there[0].probability == doctest::Approx(1 / (1 + std::exp(34.03))).epsilon(0.01));  // 2^128
  }

  TEST_CASE(
      "DRY: of breakers inside one another the one that begins last counts there, here the one that ends "
      "last") {
    const std::vector<float> row(8, 0.0f);
    // 1 2 3 begins before 2 does, and ends after it.
    const std::vector<int> history{1, 2, 3, 5, 1, 2, 3};
    const params p{.order = "dry",
                   .dry_multiplier = 1,
                   .dry_allowed_length = 1,
                   .dry_penalty_last_n = 64,
                   .dry_sequence_breakers = {{1, 2, 3}, {2}}};
    CHECK(ours(row, p, history)[5].logit == 0);  // nothing follows the breaker 1 2 3
    CHECK(theirs(row, p, history)[5].probability < 0.1f);
  }

  TEST_CASE("dynamic temperature: tokens at -inf count in their largest entropy") {
    const params p{.order = "temperature", .temperature = 1, .dynatemp_range = 0.5f};
    const std::vector<float> row{1, 0}, with_holes{1, 0, minus_infinity, minus_infinity};
    CHECK(theirs(row, p)[0].probability == doctest::Approx(ours(row, p)[0].probability).epsilon(1e-5));
    CHECK(ours(with_holes, p)[0].probability == ours(row, p)[0].probability);
    CHECK(theirs(with_holes, p)[0].probability > theirs(row, p)[0].probability + 0.01f);
  }

  TEST_CASE("temperature 0 with a range is dynamic there, and greedy here") {
    const params p{.order = "temperature", .temperature = 0, .dynatemp_range = 1};
    const std::vector<float> row{1, 0.5f};
    CHECK(ours(row, p).size() == 1);
    CHECK(theirs(row, p)[1].probability > 0.1f);
  }

  TEST_CASE("a temperature below 1e-5 divides there, and takes the best token here") {
    const params p{.order = "temperature", .temperature = 5e-6f};
    const std::vector<float> row{1e-6f, 0};
    CHECK(ours(row, p).size() == 1);
    CHECK(theirs(row, p)[1].probability == doctest::Approx(0.4502).epsilon(0.001));
  }
}

}  // namespace
}  // namespace tests
