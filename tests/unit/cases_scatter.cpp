#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "cases_table.hpp"
#include "oracle_chain.hpp"
#include "step.hpp"

namespace {

using tests::table_row;

/// By the library; and by the oracle, which must say the same.
std::vector<double> scattered(const sluice::sampling_params& p, const std::vector<float>& logits) {
  const std::vector<double> result = tests::by_id(tests::left(p, logits), logits.size());
  for (const tests::oracle::chance& c : tests::oracle::run(p, {.logits = logits}).law)
    CHECK(std::abs(result.at(static_cast<std::size_t>(c.of.id)) - static_cast<double>(c.probability)) <=
          1e-6);
  return result;
}

sluice::sampling_params with_strength(float strength) {
  sluice::sampling_params p;
  p.scatter_strength = strength;
  return p;
}

sluice::sampling_params to_params(const table_row& row) {
  sluice::sampling_params p;
  for (const auto& [name, value] : tests::to_parameters(row, row.cells[1])) {
    if (name == "radius")
      p.scatter_radius = value;
    else if (name == "strength")
      p.scatter_strength = value;
    else if (name == "steps")
      p.scatter_steps = static_cast<int>(value);
    else if (name == "adaptive")
      p.scatter_adaptive = true;
    else if (name == "min")
      p.scatter_strength_min = value;
    else if (name == "max")
      p.scatter_strength_max = value;
    else if (name == "target")
      p.scatter_entropy_target = value;
    else
      row.refuse("has " + name + ", which is no parameter");
  }
  return p;
}

void check_all(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t id = 0; id < found.size(); ++id) {
    CAPTURE(id);
    CHECK(std::abs(found[id] - expected[id]) <= 1e-6);
  }
}

/// With min 0, max 1 and the corner on the line between, the strength is 1 - H.
sluice::sampling_params strength_from_entropy() {
  sluice::sampling_params p;
  p.scatter_adaptive = true;
  p.scatter_strength_min = 0;
  p.scatter_strength_max = 1;
  p.scatter_entropy_target = 0.5f;
  p.scatter_strength = 0.5f;
  return p;
}

}  // namespace

TEST_CASE("every scatter case gives the golden values") {
  const tests::table cases = tests::read_table("scatter.tsv", 3);
  CHECK(cases.now.size() == 7);
  CHECK(cases.later.empty());
  for (const table_row& row : cases.now) {
    CAPTURE(row.where);
    const std::vector<float> logits = tests::to_logits(row, row.cells[0]);
    const std::string& expected = row.cells[2];
    const std::string before_normalising = " (before normalising)";
    if (row.cells[1] == "entropy") {
      REQUIRE(tests::starts_with(expected, "H="));
      const double entropy = tests::to_number(row, expected.substr(2));
      check_all(scattered(strength_from_entropy(), logits),
                scattered(with_strength(static_cast<float>(1 - entropy)), logits));
    } else if (tests::starts_with(expected, "s=")) {
      const double strength = tests::to_number(row, expected.substr(2));
      check_all(scattered(to_params(row), logits),
                scattered(with_strength(static_cast<float>(strength)), logits));
    } else if (expected == "0 stays 0 for tokens 2..5") {
      const std::vector<double> found = scattered(to_params(row), logits);
      REQUIRE(found.size() == 6);
      CHECK(found[0] + found[1] == doctest::Approx(1));
      for (std::size_t id = 2; id < 6; ++id) CHECK(found[id] == 0);
    } else if (expected.ends_with(before_normalising)) {
      std::vector<double> values =
          tests::to_numbers(row, expected.substr(0, expected.size() - before_normalising.size()));
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      for (double& value : values) value /= sum;
      check_all(scattered(to_params(row), logits), values);
    } else {
      check_all(scattered(to_params(row), logits), tests::to_numbers(row, expected));
    }
  }
}
