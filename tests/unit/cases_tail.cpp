#include <doctest/doctest.h>

#include <cmath>

#include "cases_table.hpp"

// The bounds that the statistical tests lean on, from their definitions.

namespace {

using tests::table_row;

/// P(X > x) of chi-square: the finite series of Q(df / 2, x / 2).
double chi_square_tail(int df, double x) {
  const double half = x / 2;
  double sum = df % 2 == 0 ? 0 : std::erfc(std::sqrt(half));
  for (double k = df % 2 == 0 ? 0 : 0.5; k < df / 2.0; k += 1)
    sum += std::exp(k * std::log(half) - half - std::lgamma(k + 1));
  return sum;
}

double poisson(double expected, int count) {
  return std::exp(count * std::log(expected) - expected - std::lgamma(count + 1.0));
}

/// The narrowest interval that leaves at most .5e-6 on either side.
bool is_poisson_interval(double expected, int low, int high) {
  double below = 0;
  for (int k = 0; k < low; ++k) below += poisson(expected, k);
  double above = 0;
  for (int k = high + 1; k < high + 1000; ++k) above += poisson(expected, k);
  return below <= 0.5e-6 && below + poisson(expected, low) > 0.5e-6 && above <= 0.5e-6 &&
         above + poisson(expected, high) > 0.5e-6;
}

}  // namespace

TEST_CASE("every statistical bound rejects one honest run in a million") {
  const tests::table cases = tests::read_table("tail.tsv", 3);
  CHECK(cases.now.size() == 13);
  for (const table_row& row : cases.now) {
    CAPTURE(row.where);
    const std::string& what = row.cells[0];
    auto given = tests::to_parameters(row, row.cells[1]);
    const std::vector<double> bound = tests::to_numbers(row, row.cells[2]);
    if (what == "chi_square") {
      const double tail = chi_square_tail(static_cast<int>(given.at("df")), bound.at(0));
      CHECK(std::abs(tail - 1e-6) <= 1e-9);
    } else if (what == "poisson") {
      CHECK(is_poisson_interval(double(given.at("expected")), int(bound.at(0)), int(bound.at(1))));
    } else if (what == "tail") {
      const double odds = double(given.at("tokens")) * std::exp(-double(given.at("logit")));
      const double expected = double(given.at("draws")) * odds / (1 + odds);
      CHECK(std::abs(expected - double(given.at("expected"))) <= 0.01);
      CHECK(is_poisson_interval(expected, int(bound.at(0)), int(bound.at(1))));
    } else if (what == "degenerate") {
      const double expected =
          double(given.at("draws")) * double(given.at("zeros")) * std::exp(-double(given.at("logit")));
      CHECK(expected < 1e-30);
      CHECK(bound.at(0) == 0);
    } else if (what == "kolmogorov") {
      const double lambda = bound.at(0) * std::sqrt(double(given.at("draws")));
      CHECK(2 * std::exp(-2 * lambda * lambda) == doctest::Approx(1e-6).epsilon(0.05));
    } else {
      row.refuse("names " + what + ", which is no test");
    }
  }
}
