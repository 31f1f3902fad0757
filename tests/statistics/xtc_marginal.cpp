#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "library.hpp"

// XTC in one draw has the law of coin and draw together.

using namespace tests::statistics;

namespace {

struct setting {
  float probability = 0.5f, threshold = 0.08f, temperature = 1;
  std::vector<sluice::token_id> spared = {};

  sluice::sampling_params params() const {
    sluice::sampling_params p;
    p.temperature = temperature;
    p.xtc_probability = probability;
    p.xtc_threshold = threshold;
    p.xtc_protected = spared;
    return p;
  }
};

/// The removable tokens: above the threshold before temperature, but the lowest of them, and not spared.
std::vector<bool> removable(const row_to_draw& row, const setting& s) {
  const std::vector<double> p = law_of(row);
  std::vector<std::size_t> likely;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > double(s.threshold)) likely.push_back(i);
  std::sort(likely.begin(), likely.end(), [&](auto a, auto b) { return p[a] != p[b] ? p[a] > p[b] : a < b; });
  std::vector<bool> result(p.size(), false);
  for (std::size_t i = 0; i + 1 < likely.size(); ++i)
    result[likely[i]] = std::count(s.spared.begin(), s.spared.end(), sluice::token_id(likely[i])) == 0;
  return result;
}

/// With the coin's probability softmax over what XTC leaves, else over all.
std::vector<double> law_of_coin_and_draw(const row_to_draw& row, const setting& s) {
  const std::vector<bool> goes = removable(row, s);
  row_to_draw kept = row;
  for (std::size_t i = 0; i < goes.size(); ++i)
    if (goes[i]) kept.logits[i] = tests::minus_infinity;
  const std::vector<double> fired = law_of(kept, s.temperature), missed = law_of(row, s.temperature);
  std::vector<double> law(goes.size());
  for (std::size_t i = 0; i < law.size(); ++i)
    law[i] = double(s.probability) * fired[i] + (1 - double(s.probability)) * missed[i];
  return law;
}

std::vector<std::size_t> counts_of_chain(const row_to_draw& row, const sluice::sampling_params& p,
                                         std::uint64_t seed) {
  const library_chain chain(p);
  return counts_of(row.logits.size(), tests::scaled(200'000),
                   [&](std::uint64_t position) { return chain.sample(row, seed, position); });
}

enum class form_of_xtc { coin, marginal };

std::vector<std::size_t> counts_with(const row_to_draw& row, const setting& s, form_of_xtc form,
                                     sluice::draw_method draw) {
  sluice::sampling_params p = s.params();
  p.xtc_marginal = form == form_of_xtc::marginal;
  p.draw = draw;
  return counts_of_chain(row, p, p.xtc_marginal ? 91 : 92);
}

const row_to_draw row_of_six{
    {std::log(0.35f), std::log(0.05f), std::log(0.25f), std::log(0.1f), std::log(0.2f), std::log(0.05f)}};

std::vector<setting> settings() {
  std::vector<setting> all;
  for (const float temperature : {0.5f, 1.0f, 2.0f})
    for (const float probability : {0.2f, 0.5f, 0.9f})
      for (const std::vector<sluice::token_id>& spared : {std::vector<sluice::token_id>{}, {0}, {3}, {2, 4}})
        all.push_back({.probability = probability, .temperature = temperature, .spared = spared});
  return all;
}

}  // namespace

TEST_CASE("marginal XTC and XTC with a coin have one law, with either draw") {
  for (const setting& s : settings()) {
    CAPTURE(s.temperature);
    CAPTURE(s.probability);
    CAPTURE(s.spared.size());
    const std::vector<double> law = law_of_coin_and_draw(row_of_six, s);
    for (const auto draw : {sluice::draw_method::gumbel, sluice::draw_method::softmax}) {
      const auto marginal = counts_with(row_of_six, s, form_of_xtc::marginal, draw);
      const auto coin = counts_with(row_of_six, s, form_of_xtc::coin, draw);
      CHECK(fits(marginal, law));
      CHECK(fits(coin, law));
      CHECK(same_law(marginal, coin));
    }
  }
}

TEST_CASE("marginal XTC has the coin's law on a long row") {
  const row_to_draw row = make_row_to_draw(form::geometric, 700, 1);
  const setting s{.threshold = 0.02f};
  CHECK(fits(counts_with(row, s, form_of_xtc::marginal, sluice::draw_method::gumbel),
             law_of_coin_and_draw(row, s)));
  CHECK(fits(counts_with(row, s, form_of_xtc::coin, sluice::draw_method::gumbel),
             law_of_coin_and_draw(row, s)));
}

TEST_CASE("the distribution of marginal XTC is the closed form") {
  for (const setting& s : settings()) {
    const std::vector<double> law = law_of_coin_and_draw(row_of_six, s);
    sluice::sampling_params p = s.params();
    p.xtc_marginal = true;
    const auto survivors = library_chain(p).distribution(row_of_six, 1, 0);
    CHECK(survivors.size() == 6);
    for (const sluice::candidate& c : survivors)
      CHECK(double(c.probability) == doctest::Approx(law[std::size_t(c.id)]).epsilon(1e-6));
  }
}

namespace {

/// The draw with a factor of its own for the removable tokens, as biases of their logits.
template <class Factor>
bool passes_with_factor(const setting& s, Factor factor) {
  const std::vector<bool> goes = removable(row_of_six, s);
  const auto share = [&](float temperature) {
    const std::vector<double> p = law_of(row_of_six, temperature);
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += goes[i] ? p[i] : 0;
    return sum;
  };
  const double tempered = share(s.temperature), untempered = share(1);
  row_to_draw row = row_of_six;
  for (std::size_t i = 0; i < goes.size(); ++i)
    if (goes[i])
      row.logits[i] += static_cast<float>(double(s.temperature) * std::log(factor(tempered, untempered)));
  sluice::sampling_params p;
  p.temperature = s.temperature;
  return fits(counts_of_chain(row, p, 93), law_of_coin_and_draw(row_of_six, s));
}

double right_factor(double rho, double x) { return (1 - rho) / (1 + rho * x / (1 - x)); }

}  // namespace

TEST_CASE("the coin's law tells a factor without its quotient and one of untempered masses") {
  for (const float temperature : {0.5f, 2.0f}) {
    const setting s{.temperature = temperature};
    const double rho = double(s.probability);
    CHECK(passes_with_factor(s, [&](double x, double) { return right_factor(rho, x); }));
    CHECK_FALSE(passes_with_factor(s, [&](double, double x) { return right_factor(rho, x); }));
    CHECK_FALSE(passes_with_factor(s, [&](double, double) { return 1 - rho; }));
  }
}

// Where the coin is the high bit of the word that draws, the draw after a coin that fires is from one half.
TEST_CASE("the coin's law tells one word for coin and draw") {
  const setting s;
  const std::vector<bool> goes = removable(row_of_six, s);
  row_to_draw kept = row_of_six;
  for (std::size_t i = 0; i < goes.size(); ++i)
    if (goes[i]) kept.logits[i] = tests::minus_infinity;
  opened fired(kept), missed(row_of_six);
  const auto has_law = [&](auto coin) {
    return fits(counts_of(6, tests::scaled(200'000),
                          [&](std::uint64_t position) {
                            return (coin(position) ? fired : missed).softmax(94, position);
                          }),
                law_of_coin_and_draw(row_of_six, s));
  };
  CHECK(has_law([](std::uint64_t p) {
    return sluice::random::coin({94, p}, sluice::random::stream::xtc_coin, 0.5);
  }));
  CHECK_FALSE(has_law([](std::uint64_t p) { return opened::word_of(94, p) >> 63 == 0; }));
}
