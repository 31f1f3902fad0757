// Mirostat and adaptive-p beside llama.cpp's: 200 steps on one path, that of the tokens which llama.cpp
// draws. Its draws are fed to our state, so what is kept and drawn from agrees only while the states do.
#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "../rows.hpp"
#include "laws.hpp"

namespace tests {
namespace {

/// Masses by a power of the rank, ids in no order. On flatter rows version 1 there converts a k above 2^31 to
/// int, which leaves one token; here it leaves all.
std::vector<float> zipf_row(generator& g) {
  std::vector<float> row(2'000);
  const double power = g.uniform(1, 2.5);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = float(g.uniform(0, 0.3) - power * std::log(double(i + 1)));
  for (std::size_t i = row.size(); i > 1; --i) std::swap(row[i - 1], row[g.below(i)]);
  return row;
}

/// What a step of llama.cpp drew from, and what it drew.
struct their_step {
  std::map<int, double> law;
  int token = -1;
};

their_step step_of(llama_sampler* chain, const std::vector<float>& row) {
  std::vector<llama_token_data> data = candidates(row);
  llama_token_data_array array = array_of(data);
  llama_sampler_apply(chain, &array);
  their_step step;
  for (std::size_t i = 0; i < array.size; ++i) step.law[array.data[i].id] = double(array.data[i].p);
  step.token = array.data[array.selected].id;
  llama_sampler_accept(chain, step.token);
  return step;
}

/// The law that is drawn from after temperature and a feedback sampler; then their token is noted as the one
/// drawn, and accepted.
template <class Feedback>
std::map<int, double> follow(const Feedback& feedback, float t, float min_p, const std::vector<float>& row,
                             sluice::sequence& q, int token) {
  const sluice::chain chain{sluice::min_p{.p = min_p}, sluice::temperature{.t = t}, feedback};
  std::map<int, double> law;
  for (const sluice::candidate& c : chain.distribution(row, q)) law[c.id] = double(c.probability);
  sluice::workspace memory;
  sluice::row r(row, {}, memory, sluice::truncation_engine::select);
  if (min_p > 0) sluice::min_p{.p = min_p}(r);
  r.set_temperature(double(t));
  feedback.shape(r, q);
  if (law.contains(token)) REQUIRE(feedback.settle(r, q, token));
  q.accept(token);
  return law;
}

struct agreement {
  int steps = 0, on_the_edge = 0;
};

/// The tokens that one side alone has lie at the edge of what is kept: float against double.
void compare_laws(agreement& a, const std::map<int, double>& here, const std::map<int, double>& there) {
  ++a.steps;
  if (here.size() != there.size()) {
    CHECK(std::max(here.size(), there.size()) - std::min(here.size(), there.size()) == 1);
    ++a.on_the_edge;
    return;
  }
  for (const auto& [token, p] : there) {
    REQUIRE(here.contains(token));
    CHECK(here.at(token) == doctest::Approx(p).epsilon(1e-3));
  }
}

llama_sampler* chain_of(float t, float min_p, llama_sampler* last) {
  llama_sampler* const chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
  if (min_p > 0) llama_sampler_chain_add(chain, llama_sampler_init_min_p(min_p, 1));
  llama_sampler_chain_add(chain, llama_sampler_init_temp(t));
  llama_sampler_chain_add(chain, last);
  return chain;
}

template <class Feedback>
void walk_beside(std::uint64_t seed, const Feedback& feedback, float t, float min_p, llama_sampler* last) {
  generator g(seed);
  llama_sampler* const chain = chain_of(t, min_p, last);
  sluice::sequence q(seed);
  agreement a;
  for (int step = 0; step < 200; ++step) {
    const std::vector<float> row = zipf_row(g);
    const their_step there = step_of(chain, row);
    compare_laws(a, follow(feedback, t, min_p, row, q, there.token), there.law);
  }
  CHECK(a.steps == 200);
  CHECK(a.on_the_edge <= 4);
  llama_sampler_free(chain);
}

}  // namespace

TEST_SUITE_BEGIN("feedback");

TEST_CASE("mirostat 2 keeps what llama.cpp's keeps, for 200 steps on its path") {
  for (const float tau : {2.0f, 5.0f})
    walk_beside(1, sluice::mirostat{.version = 2, .tau = tau, .eta = 0.1f}, 0.8f, 0,
                llama_sampler_init_mirostat_v2(11, tau, 0.1f));
}

TEST_CASE("mirostat 1 keeps what llama.cpp's keeps, for 200 steps on its path") {
  for (const float tau : {3.0f, 5.0f})
    walk_beside(2, sluice::mirostat{.version = 1, .tau = tau, .eta = 0.1f}, 1.2f, 0,
                llama_sampler_init_mirostat(2'000, 12, tau, 0.1f, 100));
}

TEST_CASE("adaptive-p draws from llama.cpp's law, for 200 steps on its path") {
  for (const float target : {0.2f, 0.6f})
    walk_beside(3, sluice::adaptive_p{.target = target, .decay = 0.9f}, 0.9f, 0.01f,
                llama_sampler_init_adaptive_p(target, 0.9f, 13));
}

TEST_SUITE_END();

}  // namespace tests
