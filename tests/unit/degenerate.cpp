#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "step.hpp"

using namespace tests;

namespace {

constexpr float huge = 3e38f;
constexpr float tiny = std::numeric_limits<float>::denorm_min();

/// Every stage that can stand beside the others, on.
sluice::sampling_params everything() {
  sluice::sampling_params p;
  p.temperature = 0.8f;
  p.dynatemp_range = 0.5f;
  p.dynatemp_exponent = 1.5f;
  p.top_k = 100;
  p.top_p = 0.95f;
  p.min_p = 0.01f;
  p.typical_p = 0.98f;
  p.top_n_sigma = 3;
  p.p_less = true;
  p.min_keep = 2;
  p.xtc_probability = 0.5f;
  p.xtc_threshold = 0.05f;
  p.xtc_protected = {0};
  p.repetition_penalty = 1.3f;
  p.frequency_penalty = 0.2f;
  p.presence_penalty = 0.1f;
  p.dry_multiplier = 0.8f;
  p.dry_sequence_breakers = {{3}, {1, 2}};
  p.scatter_strength = 0.2f;
  p.scatter_adaptive = true;
  p.scatter_absorption = 0.1f;
  p.scatter_steps = 2;
  p.logit_bias = {{0, 1.5f}, {1, -2.0f}};
  return p;
}

struct named_chain {
  std::string name;
  sluice::sampling_params params;
};

/// The chains that a degenerate row is put through.
std::vector<named_chain> chains() {
  using params = sluice::sampling_params;
  const auto with = [](auto change) {
    params p = everything();
    change(p);
    return p;
  };
  return {{"nothing", {}},
          {"everything", everything()},
          {"joint", with([](params& p) { p.truncation = sluice::truncation_rule::joint; })},
          {"normalised", with([](params& p) { p.repetition_normalized = true; })},
          {"order of llama.cpp", with([](params& p) { p.order = "edskypmxrt"; })},
          {"temperature first", with([](params& p) {
             p.order = "temperature;scatter;xtc;min_p;top_p;typ_p;p_less;top_n_sigma;dry;penalties";
           })},
          {"marginal", with([](params& p) {
             p.xtc_marginal = true;
             p.dynatemp_range = p.scatter_strength = p.scatter_absorption = 0;
             p.scatter_adaptive = false;
           })}};
}

bool absent(float logit) { return std::isnan(logit) || logit == -inf; }

bool legal(const sluice::candidate& c, const std::vector<float>& row) {
  return c.id >= 0 && static_cast<std::size_t>(c.id) < row.size() &&
         !absent(row[static_cast<std::size_t>(c.id)]) && std::isfinite(c.logit) && c.probability >= 0;
}

void check_distribution(const std::vector<float>& row, const std::vector<sluice::candidate>& survivors) {
  double sum = 0;
  for (const sluice::candidate& c : survivors) {
    if (!legal(c, row))
      FAIL_CHECK("token " << c.id << " has logit " << c.logit << " and probability " << c.probability);
    sum += double(c.probability);
  }
  CHECK(sum == doctest::Approx(1).epsilon(1e-4));
}

/// Whatever the row: a legal token that is in the distribution, the same from every engine; or none, and why.
void check_row(const std::vector<float>& row, sluice::sampling_params p) {
  const bool alive = !std::all_of(row.begin(), row.end(), absent);
  const bool has_nan = std::any_of(row.begin(), row.end(), [](float l) { return std::isnan(l); });
  for (const auto draw : every_draw) {
    p.draw = draw;
    sluice::token_id reference = sluice::no_token;
    for (const auto engine : every_engine) {
      p.engine = engine;
      REQUIRE_FALSE(tests::check(p));
      const stepper chain(p);
      sluice::sequence sequence = after({0, 1, 0, 1, 2, 0, 1, 0, 1});
      const sluice::sample_result result = chain.sample(row, sequence);
      const std::vector<sluice::candidate> survivors = chain.left(row, sequence);
      CHECK(result.saw_nan == has_nan);
      if (!alive) {
        CHECK(result.status == sluice::sample_status::no_token_left);
        CHECK(result.token == sluice::no_token);
        CHECK(survivors.empty());
        continue;
      }
      REQUIRE(result.status == sluice::sample_status::ok);
      check_distribution(row, survivors);
      CHECK(ids(survivors).contains(result.token));
      if (engine == every_engine[0]) reference = result.token;
      CHECK(result.token == reference);
    }
  }
}

void check_in_all_chains(const std::vector<float>& row) {
  for (const named_chain& chain : chains()) {
    CAPTURE(chain.name);
    CAPTURE(to_text(row));
    check_row(row, chain.params);
  }
}

}  // namespace

TEST_CASE("an empty row gives no_token_left") {
  for (const named_chain& chain : chains()) {
    CAPTURE(chain.name);
    const sluice::sample_result result = drawn(chain.params, std::vector<float>{});
    CHECK(result.status == sluice::sample_status::no_token_left);
    CHECK(result.token == sluice::no_token);
    CHECK_FALSE(result.saw_nan);
  }
}

TEST_CASE("rows of every size around a block pass through every stage") {
  for (const std::size_t size : {1u, 2u, 255u, 256u, 257u}) {
    generator g(size);
    for (const shape kind : all_shapes) check_in_all_chains(make_row(g, kind, size));
  }
}

TEST_CASE("rows of ties pass through every stage") {
  for (const float value : {0.0f, -0.0f, 1.0f, -huge, huge, tiny, -tiny})
    for (const std::size_t size : {1u, 2u, 256u, 257u, 1'000u})
      check_in_all_chains(std::vector<float>(size, value));
}

TEST_CASE("rows of NaN and infinities pass through every stage") {
  for (const float first : {not_a_number, -not_a_number, inf, -inf, 1.0f}) {
    for (const float rest : {not_a_number, inf, -inf, 0.0f}) {
      for (const std::size_t size : {1u, 2u, 257u}) {
        std::vector<float> row(size, rest);
        row[0] = first;
        check_in_all_chains(row);
        std::swap(row.front(), row.back());
        check_in_all_chains(row);
      }
    }
  }
}

TEST_CASE("rows of subnormal spread and of the largest spread pass through every stage") {
  std::vector<float> subnormal;
  std::vector<float> largest;
  std::vector<float> steep;
  for (int i = 0; i < 300; ++i) {
    subnormal.push_back(static_cast<float>(i % 37) * tiny);
    largest.push_back((i % 3 == 0 ? -1.0f : 1.0f) * huge / static_cast<float>(1 + i % 7));
    steep.push_back(-static_cast<float>(i) * 1e30f);
  }
  check_in_all_chains(subnormal);
  check_in_all_chains(largest);
  check_in_all_chains(steep);
  check_in_all_chains({huge, -huge});
  check_in_all_chains({-huge, huge, -huge, huge, std::numeric_limits<float>::max()});
  check_in_all_chains(
      {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(), 0, tiny, -tiny});
}

TEST_CASE("every temperature from 1e-38 to 1e38 gives a legal token") {
  generator g(70);
  for (const float t : {1e-45f, 1e-38f, 1e-20f, 1e-6f, 1.1e-5f, 1e-4f, 1.0f, 1e4f, 1e20f, 1e38f, 3.4e38f}) {
    CAPTURE(t);
    for (const shape kind : all_shapes) {
      std::vector<float> row = make_row(g, kind, 300);
      for (named_chain chain : chains()) {
        CAPTURE(chain.name);
        chain.params.temperature = t;
        check_row(row, chain.params);
      }
      for (float& l : row) l = static_cast<float>(std::clamp(double(l) * 4e37, -3e38, 3e38));
      for (named_chain chain : chains()) {
        CAPTURE(chain.name);
        chain.params.temperature = t;
        check_row(row, chain.params);
      }
    }
  }
}

TEST_CASE("a row of which mask or bans leave nothing gives no_token_left in every chain") {
  const std::vector<float> row{1, 2, 3};
  const std::vector<std::uint32_t> nothing{0};
  const std::vector<sluice::token_bias> ban{{0, -inf}, {1, -inf}, {2, -inf}};
  for (named_chain chain : chains()) {
    CAPTURE(chain.name);
    CHECK(drawn(chain.params, row, sluice::sequence(1), {.mask = nothing}).status ==
          sluice::sample_status::no_token_left);
    CHECK(drawn(chain.params, row, sluice::sequence(1), {.bias = ban}).status ==
          sluice::sample_status::no_token_left);
    chain.params.suppressed_tokens = {2, 1, 0};
    CHECK(drawn(chain.params, row).status == sluice::sample_status::no_token_left);
  }
}

TEST_CASE("a row of 2^20 tokens is too long, one less is not") {
  std::vector<float> row(1u << 20, 0.0f);
  const sluice::sample_result result = drawn({}, row);
  CHECK(result.status == sluice::sample_status::row_too_long);
  CHECK(result.token == sluice::no_token);
  CHECK(left({}, row).empty());
  row.pop_back();
  sluice::sampling_params p;
  p.top_p = 0.5f;
  CHECK(drawn(p, row));
  CHECK(left(p, row).size() == (1u << 19));
}
