#include <sluice/logprobs.hpp>

#include <cmath>
#include <cstdint>
#include <utility>

#include "faults.hpp"

using namespace tests;

FAULT_CASE("a row of -inf alone gives no_token_left and no token") {
  const std::vector<float> row(300, -inf);
  for (const float t : {0.0f, 1.0f}) {
    sluice::sampling_params p;
    p.temperature = t;
    const sluice::sample_result result = drawn(p, row);
    CHECK(result.status == sluice::sample_status::no_token_left);
    CHECK(result.token == sluice::no_token);
    CHECK_FALSE(result.saw_nan);
    CHECK(left(p, row).empty());
  }
}

FAULT_CASE("greedy passes over NaN and tells of it, and takes +inf") {
  sluice::sampling_params p;
  p.temperature = 0;
  const sluice::sample_result result = drawn(p, std::vector<float>{not_a_number, 0, 1});
  CHECK(result.token == 2);
  CHECK(result.saw_nan);
  CHECK(drawn(p, std::vector<float>{0, inf, 1}).token == 1);
}

FAULT_CASE("a row of NaN alone gives no_token_left and no token") {
  for (const auto engine : every_engine) {
    for (const auto draw : every_draw) {
      sluice::sampling_params p;
      p.engine = engine;
      p.draw = draw;
      p.top_p = 0.5f;
      const sluice::sample_result result = drawn(p, std::vector<float>(70, not_a_number));
      CHECK(result.status == sluice::sample_status::no_token_left);
      CHECK(result.token == sluice::no_token);
      CHECK(result.saw_nan);
    }
  }
}

FAULT_CASE("a bias that names an id twice adds up, in every state of the row") {
  sluice::sampling_params p;
  p.logit_bias = {{1, 1.0f}, {1, 2.0f}};
  const std::vector<float> row{0.5f, 0.25f, -inf, not_a_number};
  CHECK(logit_of(left(p, row), 1) == 3.25f);
  const std::vector<sluice::token_id> sparse_ids{7, 1, 0};
  const std::vector<float> sparse{0, 0.25f, 1};
  CHECK(logit_of(left(p, {sparse_ids, sparse}), 1) == 3.25f);
  const std::vector<std::uint32_t> mask{0b10};
  CHECK(logit_of(left(p, row, sluice::sequence(1), {.mask = mask}), 1) == 3.25f);
  const std::vector<sluice::token_bias> more{{1, 4.0f}, {0, 1.0f}, {1, -2.0f}};
  CHECK(logit_of(left(p, row, sluice::sequence(1), {.bias = more}), 1) == 5.25f);
  p.repetition_penalty = 2;  // a penalty may have touched the block before or after
  CHECK(logit_of(left(p, row, after({1, 0})), 1) == 1.625f);
}

FAULT_CASE("a row whose last block is partly there gives no id past its end") {
  for (const std::size_t size : {1u, 2u, 255u, 257u, 300u, 511u, 513u}) {
    const std::vector<float> row(size, 0.0f);
    for (const auto draw : every_draw) {
      sluice::sampling_params p;
      p.draw = draw;
      const stepper chain(p);
      bool last_seen = false;
      for (std::uint64_t position = 0; position < 4'000; ++position) {
        sluice::sequence sequence(5, position);
        const sluice::token_id token = chain.sample(row, sequence).token;
        REQUIRE((token >= 0 && static_cast<std::size_t>(token) < size));
        last_seen = last_seen || static_cast<std::size_t>(token) == size - 1;
      }
      CHECK(last_seen);
    }
  }
}

FAULT_CASE("of 100 and 4,095 zeros the 100 is drawn every time") {
  std::vector<float> row(4'096, 0.0f);
  row[1'234] = 100;
  for (const auto draw : every_draw) {
    sluice::sampling_params p;
    p.draw = draw;
    const stepper chain(p);
    std::size_t others = 0;
    // The others have no mass at all under the softmax draw: there a tenth of the draws shows as much.
    for (std::size_t i = scaled(draw == sluice::draw_method::gumbel ? 1'000'000 : 100'000); i > 0; --i) {
      sluice::sequence sequence(7, i);
      if (chain.sample(row, sequence).token != 1'234) ++others;
    }
    CHECK(others == 0);
  }
}

// Places where the smallest of 262,144 tail noises wins, found by evaluating the formulas of the noise field
// over the positions from 0 in extended precision: every one up to 7,039, expected one in 3,053.
FAULT_CASE("a tail of 262,144 tokens 20.5 below the top is drawn where its noise wins") {
  std::vector<float> row(262'145, 0.0f);
  row[0] = 20.5f;
  const stepper chain{sluice::sampling_params{}};
  for (const auto& [position, token] :
       {std::pair{1986u, 153'115}, {2211u, 86'466}, {4372u, 225'623}, {4643u, 185'275}, {7039u, 16'601}}) {
    sluice::sequence sequence(42, position);
    CHECK(chain.sample(row, sequence).token == token);
    sluice::sequence next(42, position + 1);
    CHECK(chain.sample(row, next).token == 0);
  }
}

FAULT_CASE("a temperature of 0, 1e-30 and 1e-38 gives the argmax of several large logits") {
  const std::vector<float> row{3e38f, 1e38f, 3.1e38f, -3e38f, 3.1e38f, 0};
  for (const float t : {0.0f, 1e-30f, 1e-38f, 1e-45f}) {
    for (const auto draw : every_draw) {
      sluice::sampling_params p;
      p.temperature = t;
      p.draw = draw;
      const auto survivors = left(p, row);
      REQUIRE(survivors.size() == 1);
      CHECK(survivors[0].id == 2);
      CHECK(survivors[0].probability == 1);
      CHECK(drawn(p, row).token == 2);
    }
  }
}

FAULT_CASE("half the temperature sharpens, twice the temperature flattens") {
  // .5 .25 .25: squared and normalised .667 .167 .167, the roots .414 .293 .293.
  sluice::sampling_params p;
  const std::vector<float> row = logits_of({.5, .25, .25});
  CHECK(left(p, row)[0].probability == doctest::Approx(0.5));
  p.temperature = 0.5f;
  CHECK(left(p, row)[0].probability == doctest::Approx(2.0 / 3));
  p.temperature = 2;
  CHECK(left(p, row)[0].probability == doctest::Approx(std::sqrt(2.0) - 1));
}

FAULT_CASE("NaN gives every engine and draw the same status, and the engines the same token") {
  std::vector<float> row;
  for (int i = 0; i < 600; ++i)
    row.push_back(i % 7 == 3 ? not_a_number : static_cast<float>(i * 37 % 101) / 20);
  for (const auto draw : every_draw) {
    for (std::uint64_t position = 0; position < 200; ++position) {
      sluice::sampling_params p;
      p.draw = draw;
      p.top_p = 0.8f;
      p.engine = sluice::truncation_engine::sort;
      const sluice::sample_result reference = drawn(p, row, sluice::sequence(11, position));
      CHECK(reference.status == sluice::sample_status::ok);
      CHECK(reference.saw_nan);
      for (const auto engine : every_engine) {
        p.engine = engine;
        const sluice::sample_result result = drawn(p, row, sluice::sequence(11, position));
        CHECK(result.token == reference.token);
        CHECK(result.status == reference.status);
        CHECK(result.saw_nan == reference.saw_nan);
      }
    }
  }
}

FAULT_CASE("the XTC coin and the draw are not correlated") {
  // The coin of each position shows in the survivors; the draw between two equal tokens, without XTC.
  constexpr int steps = 10'000;
  sluice::sampling_params with_coin;
  with_coin.xtc_probability = 0.5f;
  const std::vector<float> two{0, 0};
  for (const auto draw : every_draw) {
    sluice::sampling_params plain;
    plain.draw = draw;
    const stepper coin_chain(with_coin);
    const stepper draw_chain(plain);
    std::vector<double> fired;
    std::vector<double> second;
    for (std::uint64_t position = 0; position < steps; ++position) {
      sluice::sequence sequence(13, position);
      fired.push_back(coin_chain.left(two, sequence).size() == 1 ? 1 : -1);
      second.push_back(draw_chain.sample(two, sequence).token == 1 ? 1 : -1);
    }
    for (int lag = -2; lag <= 2; ++lag) {
      double sum = 0;
      for (int i = 2; i < steps - 2; ++i) sum += fired[std::size_t(i)] * second[std::size_t(i + lag)];
      CHECK(std::abs(sum / steps) < 0.05);
    }
  }
}

FAULT_CASE("a chain built after one with a bias has no bias left over") {
  const std::vector<float> row{1, 2, 3};
  sluice::sampling_params biased;
  biased.temperature = 0;
  biased.logit_bias = {{0, 50.0f}};
  sluice::sampling_params plain;
  plain.temperature = 0;
  CHECK(drawn(biased, row).token == 0);
  CHECK(drawn(plain, row).token == 2);
  const std::vector<sluice::token_bias> once{{1, 50.0f}};
  const stepper chain(plain);
  sluice::sequence sequence(1);
  CHECK(chain.sample(row, sequence, {.bias = once}).token == 1);
  CHECK(chain.sample(row, sequence).token == 2);
}

FAULT_CASE("a suppressed token is never drawn, whatever its bias") {
  sluice::sampling_params p;
  p.suppressed_tokens = {1};
  for (const float bias : {100.0f, inf}) {
    p.logit_bias = {{1, bias}};
    const std::vector<sluice::token_bias> call{{1, bias}};
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      CHECK(drawn(p, std::vector<float>{0, 50, 0}, sluice::sequence(seed)).token != 1);
      CHECK(drawn(p, std::vector<float>{0, 50, 0}, sluice::sequence(seed), {.bias = call}).token != 1);
    }
    CHECK(drawn(p, std::vector<float>{-inf, 50}).status == sluice::sample_status::no_token_left);
  }
}

FAULT_CASE("a mask of zeros leaves no token, and no token past a mask is drawn") {
  std::vector<float> row(151'936, 0.0f);
  row[151'700] = 50;  // past the 4,740 words, which know 151,680 tokens
  std::vector<std::int32_t> mask(4'740, 0);
  sluice::sampling_params p;
  const sluice::sample_result nothing = drawn(p, row, sluice::sequence(1), {.mask = mask});
  CHECK(nothing.status == sluice::sample_status::no_token_left);
  CHECK(nothing.token == sluice::no_token);
  mask[4'739] = 1 << 5;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    CHECK(drawn(p, row, sluice::sequence(seed), {.mask = mask}).token == 4'739 * 32 + 5);
  mask.assign(4'740, -1);
  CHECK(left(p, row, sluice::sequence(1), {.mask = mask}).size() == 151'680);
}

FAULT_CASE("ten draws in one second without a seed are not ten equal tokens") {
  const std::vector<float> row(1'000, 0.0f);
  const auto by_one_sampler = generated({}, row, 10);
  std::set<int> by_ten_samplers;
  for (int i = 0; i < 10; ++i) by_ten_samplers.insert(generated({}, row, 1)[0]);
  CHECK(std::set<int>(by_one_sampler.begin(), by_one_sampler.end()).size() > 1);
  CHECK(by_ten_samplers.size() > 1);
}

// Positions of seed 42 at which Philox gives the softmax draw the first word 0xffffffff and 0, found by
// trying all.
FAULT_CASE("the largest uniform word draws the token of highest id that has mass") {
  std::vector<float> row(4'096, -5.0f);
  for (std::size_t i = 0; i < 39; ++i) row[100 + i] = 3;
  row[0] = 2;  // rank 39
  sluice::sampling_params p;
  p.draw = sluice::draw_method::softmax;
  p.top_k = 40;
  for (const auto engine : every_engine) {
    p.engine = engine;
    CHECK(drawn(p, row, sluice::sequence(42, 3'552'940'331)).token == 138);
    CHECK(drawn(p, row, sluice::sequence(42, 5'835'750'184)).token == 138);
    CHECK(drawn(p, row, sluice::sequence(42, 3'332'747'140)).token == 0);
  }
}

FAULT_CASE("a log-probability is a logarithm, and -inf where the token is absent") {
  const std::vector<float> row{0, 0, -inf, 0, 0};
  const sluice::standard_chain chain({});
  sluice::sequence q(1);
  const sluice::token_id asked[] = {3, 2};
  const auto found = sluice::logprobs(chain, row, q, {.tokens = asked});
  REQUIRE(found.size() == 2);
  CHECK(found[0].logprob == static_cast<float>(-std::log(4.0)));
  CHECK(found[0].rank == 3);
  CHECK(found[1].logprob == -inf);
  CHECK(found[1].rank == 0);
}
