#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <cmath>
#include <vector>

namespace {

/// Of .4 .3 .2 .1 the tokens above .15 are 0, 1 and 2; 0 and 1 are removable.
std::vector<double> law(float temperature, float probability, std::vector<sluice::token_id> spared = {}) {
  sluice::sampling_params p;
  p.temperature = temperature;
  p.xtc_probability = probability;
  p.xtc_threshold = 0.15f;
  p.xtc_marginal = true;
  p.xtc_protected = std::move(spared);
  const std::vector<float> row{std::log(0.4f), std::log(0.3f), std::log(0.2f), std::log(0.1f)};
  sluice::sequence sequence(1);
  std::vector<double> result(4, 0);
  for (const sluice::candidate& c : sluice::standard_chain(p).distribution(row, sequence))
    result[std::size_t(c.id)] = double(c.probability);
  return result;
}

void check(const std::vector<double>& found, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

}  // namespace

// x = .7: half of it goes, and the others share .65 as 2 to 1.
TEST_CASE("marginal XTC gives the removable tokens the share that the coin leaves them") {
  check(law(1, 0.5f), {0.2, 0.15, 13.0 / 30, 6.5 / 30});
}

// Squares: .16 .09 .04 .01, x = 25 / 30.
TEST_CASE("marginal XTC weighs by tempered masses") {
  check(law(0.5f, 0.5f), {8.0 / 30, 4.5 / 30, 14.0 / 30, 3.5 / 30});
}

TEST_CASE("marginal XTC leaves a protected token among the kept") {
  check(law(1, 0.5f, {0}), {0.4 * 17 / 14, 0.15, 0.2 * 17 / 14, 0.1 * 17 / 14});
}

TEST_CASE("marginal XTC of probability 1 removes, of probability 0 does nothing") {
  check(law(1, 1), {0, 0, 2.0 / 3, 1.0 / 3});
  check(law(1, 0), {0.4, 0.3, 0.2, 0.1});
}
