// One row in many forms: the same tokens.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <sluice/sluice.hpp>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace {

using tests::generator;

sluice::sampling_params chain_of_all(generator& g) {
  sluice::sampling_params p;
  p.seed = g.next();
  p.temperature = static_cast<float>(g.uniform(0.3, 2));
  if (g.chance(0.5)) p.top_n_sigma = 2;
  if (g.chance(0.5)) p.top_k = 50;
  if (g.chance(0.5)) p.top_p = 0.9f;
  if (g.chance(0.5)) p.typical_p = 0.9f;
  if (g.chance(0.3)) p.p_less = true;
  if (g.chance(0.3)) p.dynatemp_range = 0.3f;
  if (g.chance(0.3)) p.repetition_penalty = 1.2f, p.repetition_normalized = true;
  return p;
}

}  // namespace

TEST_CASE("a sparse row in any order is its dense row, bit for bit") {
  generator g(31);
  for (std::size_t i = 0; i < tests::scaled(20'000); ++i) {
    const std::vector<float> dense = tests::make_row(g, tests::shape::holes, 1 + g.below(1500));
    std::vector<sluice::token_id> ids;
    for (std::size_t t = 0; t < dense.size(); ++t)
      if (dense[t] > tests::minus_infinity || g.chance(0.1)) ids.push_back(static_cast<sluice::token_id>(t));
    for (std::size_t t = ids.size(); t > 1; --t) std::swap(ids[t - 1], ids[g.below(t)]);
    std::vector<float> logits;
    for (const sluice::token_id id : ids) logits.push_back(dense[static_cast<std::size_t>(id)]);
    ids.push_back(ids[0]);  // of a repeated id the first counts
    logits.push_back(99);
    ids.push_back(-5);  // no token
    logits.push_back(99);

    sluice::sampler sampler(chain_of_all(g));
    sampler.accept(ids[0]);
    const auto expected = sampler.sample(dense);
    const auto law = sampler.distribution(dense);
    const std::vector<sluice::candidate> kept(law.begin(), law.end());
    INFO(tests::to_text(dense));
    REQUIRE(sampler.sample({ids, logits}).token == expected.token);
    const auto sparse = sampler.distribution({ids, logits});
    REQUIRE(sparse.size() == kept.size());
    for (std::size_t c = 0; c < kept.size(); ++c) {
      REQUIRE(sparse[c].id == kept[c].id);
      REQUIRE(std::bit_cast<std::uint32_t>(sparse[c].probability) ==
              std::bit_cast<std::uint32_t>(kept[c].probability));
    }
  }
}

TEST_CASE("a masked row is the row with minus infinity in those places, however many are allowed") {
  generator g(32);
  for (std::size_t i = 0; i < tests::scaled(20'000); ++i) {
    const std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 1 + g.below(3000));
    const double share = g.chance(0.5) ? g.uniform() : g.uniform(0, 0.01);
    std::vector<std::uint32_t> mask((row.size() + 31) / 32 + g.below(2));
    for (std::uint32_t& word : mask)
      word = g.chance(0.3) ? 0 : g.chance(0.3) ? ~0u : static_cast<std::uint32_t>(g.next());
    std::vector<float> masked = row;
    for (std::size_t t = 0; t < row.size(); ++t) {
      if (g.chance(share)) mask[t / 32] &= ~(1u << (t % 32));
      if ((mask[t / 32] >> (t % 32) & 1) == 0) masked[t] = tests::minus_infinity;
    }
    sluice::sampler sampler(chain_of_all(g));
    const auto expected = sampler.sample(masked);
    const auto drawn = sampler.sample(row, {.mask = mask});
    REQUIRE(drawn.token == expected.token);
    REQUIRE(drawn.status == expected.status);
  }
}

TEST_CASE("every alignment of a row gives the same token, and the row is not written") {
  generator g(33);
  for (std::size_t i = 0; i < tests::scaled(2'000); ++i) {
    const std::vector<float> row = tests::make_row(g, tests::shape::holes, 1 + g.below(1000));
    sluice::sampling_params p = chain_of_all(g);
    p.logit_bias = {{0, 1.5f}};
    sluice::sampler sampler(p);
    const auto expected = sampler.sample(row);
    std::vector<float> shifted(row.size() + 16);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      std::copy(row.begin(), row.end(), shifted.begin() + static_cast<std::ptrdiff_t>(offset));
      const std::vector<float> before = shifted;
      REQUIRE(sampler.sample({shifted.data() + offset, row.size()}).token == expected.token);
      REQUIRE(std::memcmp(before.data(), shifted.data(), shifted.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("16-bit rows give the token of the floats that they stand for") {
  generator g(34);
  for (std::size_t i = 0; i < tests::scaled(5'000); ++i) {
    const std::size_t size = 1 + g.below(1500);
    std::vector<std::uint16_t> narrow(size);
    std::vector<float> wide(size);
    for (const auto type : {sluice::logit_type::bf16, sluice::logit_type::f16}) {
      for (std::size_t t = 0; t < size; ++t) {
        narrow[t] = static_cast<std::uint16_t>(g.next());
        const int exponent = narrow[t] >> 10 & 0x1f;  // the definition of a half, written out
        const double fraction = narrow[t] & 0x3ff;
        const double sign = narrow[t] >> 15 ? -1 : 1;
        if (type == sluice::logit_type::bf16) {
          wide[t] = std::bit_cast<float>(std::uint32_t{narrow[t]} << 16);
        } else if (exponent == 31) {
          wide[t] = fraction != 0 ? tests::not_a_number : static_cast<float>(sign) * tests::plus_infinity;
        } else {
          wide[t] = static_cast<float>(
              sign * (exponent == 0 ? fraction * 0x1p-24 : std::ldexp(1 + fraction / 1024, exponent - 15)));
        }
      }
      sluice::sampler sampler(chain_of_all(g));
      const auto expected = sampler.sample(wide);
      const auto drawn = sampler.sample({narrow.data(), size, type});
      REQUIRE(drawn.token == expected.token);
      REQUIRE(drawn.saw_nan == expected.saw_nan);
    }
  }
}
