// Counts against a law. Every bound here rejects one honest run in a million; seeds are frozen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace tests::statistics {

inline constexpr double significance = 1e-6;

/// P(X > x) of chi-square: the finite series of Q(df / 2, x / 2).
inline double chi_square_tail(std::size_t df, double x) {
  if (x <= 0) return 1;
  const double half = x / 2;
  double sum = df % 2 == 0 ? 0 : std::erfc(std::sqrt(half));
  for (double k = df % 2 == 0 ? 0 : 0.5; k < double(df) / 2; k += 1)
    sum += std::exp(k * std::log(half) - half - std::lgamma(k + 1));
  return sum;
}

/// The x with P(X > x) = 1e-6.
inline double chi_square_critical(std::size_t df) {
  double low = 0;
  double high = 2 * double(df) + 100;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (chi_square_tail(df, middle) > significance ? low : high) = middle;
  }
  return high;
}

struct range {
  std::size_t low = 0, high = 0;
  bool holds(std::size_t count) const { return count >= low && count <= high; }
};

/// The narrowest interval of a Poisson count that leaves at most .5e-6 on either side.
inline range poisson_range(double expected) {
  const auto chance = [&](double k) {
    return std::exp(k * std::log(expected) - expected - std::lgamma(k + 1));
  };
  range result;
  double below = chance(0);
  while (below <= significance / 2) below += chance(double(++result.low));
  double above = 0;
  auto k = static_cast<std::size_t>(expected + 20 * std::sqrt(expected) + 60);
  while (above + chance(double(k)) <= significance / 2) above += chance(double(k--));
  result.high = k;
  return result;
}

struct cell {
  double observed = 0, expected = 0;
};

/// Pools from the smallest until every expected count is >= 10; the remainder is one cell, never dropped.
inline std::vector<cell> pooled(std::vector<cell> cells) {
  std::sort(cells.begin(), cells.end(), [](const cell& a, const cell& b) { return a.expected < b.expected; });
  cell rest;
  std::size_t taken = 0;
  while (taken < cells.size() && (cells[taken].expected < 10 || (taken > 0 && rest.expected < 10))) {
    rest.observed += cells[taken].observed;
    rest.expected += cells[taken++].expected;
  }
  cells.erase(cells.begin(), cells.begin() + std::ptrdiff_t(taken));
  if (taken > 0) cells.push_back(rest);
  return cells;
}

/// Whether counts have the law: chi-square over the pooled cells. A token of probability 0 may never occur;
/// where all but the likeliest pool into too little for a cell, their number must lie in its Poisson range.
inline bool fits(std::span<const std::size_t> counts, std::span<const double> law) {
  double draws = 0;
  for (const std::size_t count : counts) draws += double(count);
  std::vector<cell> cells;
  cell likeliest;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (law[i] <= 0 && counts[i] != 0) return false;
    if (law[i] <= 0) continue;
    cells.push_back({double(counts[i]), law[i] * draws});
    if (cells.back().expected > likeliest.expected) likeliest = cells.back();
  }
  if (cells.size() < 2) return true;
  double others = 0;
  for (const cell& c : cells) others += c.expected;
  others -= likeliest.expected;
  cells = pooled(cells);
  if (cells.size() < 2)
    return poisson_range(std::max(others, 1e-9)).holds(std::size_t(draws - likeliest.observed));
  double statistic = 0;
  for (const cell& c : cells) statistic += (c.observed - c.expected) * (c.observed - c.expected) / c.expected;
  return chi_square_tail(cells.size() - 1, statistic) >= significance;
}

/// Whether two series of counts, of the same number of draws each, have one law.
inline bool same_law(std::span<const std::size_t> a, std::span<const std::size_t> b) {
  std::vector<cell> cells;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] + b[i] > 0) cells.push_back({double(a[i]), double(a[i] + b[i]) / 2});
  cells = pooled(cells);
  if (cells.size() < 2) return true;
  double statistic = 0;
  for (const cell& c : cells)
    statistic += 2 * (c.observed - c.expected) * (c.observed - c.expected) / c.expected;
  return chi_square_tail(cells.size() - 1, statistic) >= significance;
}

}  // namespace tests::statistics
