#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "library.hpp"

// XTC's coin, scatter's gate and the draw of one seed over 10,000 steps: each knows nothing of the others.
// XTC's coin and the draw are a fault of unit/faults_draw.cpp.

using namespace tests::statistics;

namespace {

constexpr std::size_t steps = 10'000;
constexpr std::uint64_t seed = 71;

using series = std::vector<double>;

/// value(position) of every step.
template <class Value>
series series_of(Value value) {
  series result;
  for (std::uint64_t position = 0; position < steps; ++position) result.push_back(value(position));
  return result;
}

double correlation(const series& a, const series& b, int lag) {
  double n = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (int i = 2; i + 2 < int(steps); ++i) {
    const double x = a[std::size_t(i)], y = b[std::size_t(i + lag)];
    n += 1, sa += x, sb += y, saa += x * x, sbb += y * y, sab += x * y;
  }
  return (n * sab - sa * sb) / std::sqrt((n * saa - sa * sa) * (n * sbb - sb * sb));
}

/// Below .05 at every lag from -2 to 2.
bool unrelated(const series& a, const series& b) {
  for (int lag = -2; lag <= 2; ++lag)
    if (!(std::fabs(correlation(a, b, lag)) < 0.05)) return false;
  return true;
}

/// The survivors of one step, without the draw: where the coin fires they are fewer.
series survivors_of(sluice::sampling_params p, std::size_t size) {
  const library_chain chain(std::move(p));
  const row_to_draw row{std::vector<float>(size, 0.0f)};
  return series_of(
      [&](std::uint64_t position) { return double(chain.distribution(row, seed, position).size()); });
}

series xtc_coins() {
  sluice::sampling_params p;
  p.xtc_probability = 0.5f;
  return survivors_of(p, 2);
}

series scatter_gates() {
  sluice::sampling_params p;
  p.scatter_strength = 0.1f;
  p.scatter_k = 2;
  p.scatter_collision = 0.5f;
  return survivors_of(p, 4);
}

/// The token of eight equal ones.
series tokens_of(sluice::draw_method draw) {
  sluice::sampling_params p;
  p.draw = draw;
  const library_chain chain(p);
  const row_to_draw row{std::vector<float>(8, 0.0f)};
  return series_of([&](std::uint64_t position) { return double(chain.sample(row, seed, position)); });
}

/// A coin from a word that another number is made of.
series coins_of(sluice::random::stream s, std::size_t word) {
  return series_of([&](std::uint64_t position) {
    return double(sluice::random::source{seed, position}.at(s, 0)[word] >> 31);
  });
}

}  // namespace

TEST_CASE("the gate of scatter and the draw are unrelated at lags from -2 to 2") {
  const series gates = scatter_gates();
  CHECK(unrelated(gates, tokens_of(sluice::draw_method::gumbel)));
  CHECK(unrelated(gates, tokens_of(sluice::draw_method::softmax)));
}

TEST_CASE("the coin of XTC, the gate of scatter and the two draws are unrelated") {
  CHECK(unrelated(xtc_coins(), scatter_gates()));
  CHECK(unrelated(tokens_of(sluice::draw_method::gumbel), tokens_of(sluice::draw_method::softmax)));
}

TEST_CASE("correlation tells one word used twice") {
  using sluice::random::stream;
  CHECK_FALSE(unrelated(coins_of(stream::softmax_draw, 0), tokens_of(sluice::draw_method::softmax)));
  CHECK_FALSE(unrelated(coins_of(stream::xtc_coin, 0), xtc_coins()));
  CHECK_FALSE(unrelated(coins_of(stream::scatter_gate, 0), scatter_gates()));
  // Eight tokens of a block: the first word of the tails' counter 0 is token 0's.
  series token_0 = tokens_of(sluice::draw_method::gumbel);
  for (double& t : token_0) t = t == 0;
  CHECK_FALSE(unrelated(coins_of(stream::draw_tails, 0), token_0));
  CHECK(unrelated(coins_of(stream::draw_tails, 1), token_0));
  // The next step's word is as bad.
  series late = coins_of(stream::softmax_draw, 0);
  late.erase(late.begin());
  late.push_back(0);
  CHECK_FALSE(unrelated(late, tokens_of(sluice::draw_method::softmax)));
}
