// The harness of sampler invariants. Given any stage, also one of your own, it tries what every stage owes
// its users over thousands of random rows, and compares with an oracle where there is one. It needs the
// public headers of sluice and doctest, and these two files beside it: rows.hpp and support.hpp.
//
//   TEST_CASE("my stage keeps the rules") {
//     tests::check_stage(my_stage{.level = 0.5f}, {.neutral = {my_stage{.level = 0}}});
//   }
//
// What is tried on each row:
//   survivors     the ids, logits and probabilities are the oracle's
//   never empty   a row with a finite logit gives a token; its id is in range and in the distribution
//   ranked        the distribution is in rank order and sums to 1
//   pure          twice the same, and the caller's row is not written
//   removed       -inf appended changes nothing; masked, NaN and -inf are the same
//   zero          -0 is +0
//   argmax        the best token stays                                        unless argmax_rule::may_go
//   odds          survivors keep their logits, bit for bit                    unless odds_rule::reshaped
//   shift         a constant added to all logits changes nothing              unless shift_rule::none
//   off is free   the neutral stages are not active and leave the row bit-identical
#pragma once

#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace tests {

/// What an oracle says of a row: the survivors in rank order, and the relative distance of the nearest
/// decision to its cut. A row nearer than `harness_options::near` is counted and not compared.
struct expectation {
  std::vector<sluice::candidate> survivors = {};
  double distance = std::numeric_limits<double>::infinity();
};

enum class argmax_rule { survives, may_go };
enum class odds_rule { kept, reshaped };
enum class shift_rule { invariant, none };

template <class Stage>
struct harness_options {
  std::size_t rows = scaled(10'000);
#ifdef NDEBUG
  std::size_t large_rows = scaled(20);  // of 131,072 tokens
#else
  std::size_t large_rows = 0;
#endif
  std::uint64_t seed = 1;
  std::size_t history = 0;  // tokens accepted before each row, at most

  /// Reads seed, position and tokens from the sequence.
  std::function<expectation(std::span<const float>, const sluice::sequence&)> oracle = {};
  double near = 1e-6;               // a decision nearer to its cut than this is not compared
  double tolerance = 1e-5;          // of logits and probabilities, relative
  std::vector<Stage> neutral = {};  // the stage at values that switch it off

  argmax_rule argmax = argmax_rule::survives;
  odds_rule odds = odds_rule::kept;
  shift_rule shift = shift_rule::invariant;
};

struct harness_report {
  std::size_t rows = 0;      // tried
  std::size_t near = 0;      // of them too near to a cut to be compared
  std::size_t failures = 0;  // rules broken, over all rows
  std::array<std::size_t, 10> distances =
      {};                  // rows whose nearest decision is 10^-k to 10^-(k+1) from its cut
  std::string first = {};  // the rule that the smallest failing row breaks, and that row
  std::size_t first_size = std::numeric_limits<std::size_t>::max();

  void note_distance(double distance) {
    std::size_t decade = 0;
    while (decade + 1 < distances.size() && distance < 0.1) {
      distance *= 10;
      ++decade;
    }
    ++distances[decade];
  }

  void operator+=(const harness_report& other) {
    rows += other.rows;
    near += other.near;
    failures += other.failures;
    for (std::size_t i = 0; i < distances.size(); ++i) distances[i] += other.distances[i];
    if (other.first_size < first_size) {
      first = other.first;
      first_size = other.first_size;
    }
  }
};

namespace detail {

using distribution = std::vector<sluice::candidate>;

inline bool same_bits(const distribution& a, const distribution& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.id == y.id && std::bit_cast<std::uint32_t>(x.logit) == std::bit_cast<std::uint32_t>(y.logit) &&
           std::bit_cast<std::uint32_t>(x.probability) == std::bit_cast<std::uint32_t>(y.probability);
  });
}

/// As same_bits, but -0 may stand for +0.
inline bool same_values(const distribution& a, const distribution& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.id == y.id && x.logit == y.logit && x.probability == y.probability;
  });
}

/// 1e-12 beside the relative tolerance: a mass of 2^44 units says no more of a rare token.
inline bool close(double found, double expected, double tolerance, double least) {
  return std::abs(found - expected) <= tolerance * std::max(std::abs(expected), least);
}

/// Whatever the order: equal logits may round to either side of each other.
inline bool same_probabilities(distribution a, distribution b, double tolerance) {
  const auto by_id = [](const auto& x, const auto& y) { return x.id < y.id; };
  std::sort(a.begin(), a.end(), by_id);
  std::sort(b.begin(), b.end(), by_id);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.id == y.id && close(double(x.probability), double(y.probability), tolerance, 1e-7);
  });
}

template <class Stage>
class harness {
 public:
  harness(const Stage& stage, const harness_options<Stage>& options)
      : options_(options), chain_{stage}, random_(options.seed) {}

  harness_report run() {
    for (const Stage& stage : options_.neutral)
      if (stage.active()) fail("off is free: a neutral stage is active", {});
    for (std::size_t i = 0; i < options_.rows; ++i) try_row(make_row(random_));
    for (std::size_t i = 0; i < options_.large_rows; ++i)
      try_row(make_row(random_, random_.pick(all_shapes), 131'072));
    return report_;
  }

 private:
  void try_row(const std::vector<float>& row) {
    ++report_.rows;
    sequence_ = sluice::sequence(random_.next(), random_.below(1u << 20));
    if (options_.history > 0)
      sequence_.accept(std::span<const sluice::token_id>(
          make_history(random_, row.size(), random_.below(options_.history + 1))));

    const std::vector<float> copy = row;
    const distribution found = distribution_of(row);
    if (std::memcmp(copy.data(), row.data(), row.size() * sizeof(float)) != 0)
      fail("pure: the caller's row was written", copy);
    check_survivors(row, found);
    check_legal(row, found);
    check_twice(row, found);
    check_removed(row, found);
    check_zero(row);
    if (options_.argmax == argmax_rule::survives) check_argmax(row, found);
    if (options_.odds == odds_rule::kept) check_odds(row, found);
    if (options_.shift == shift_rule::invariant) check_shift(row);
    check_off(row);
  }

  distribution distribution_of(const std::vector<float>& row, const sluice::call_options& call = {}) {
    return distribution_of(chain_, row, call);
  }

  // The two calls into the chain stand once each: every one is compiled anew for every stage.
  template <class Chain>
  distribution distribution_of(const Chain& chain, const std::vector<float>& row,
                               const sluice::call_options& call) {
    const auto view = chain.distribution(row, sequence_, call);
    return {view.begin(), view.end()};
  }

  sluice::sample_result sample(const std::vector<float>& row) { return chain_.sample(row, sequence_); }

  void check_survivors(const std::vector<float>& row, const distribution& found) {
    if (!options_.oracle) return;
    const expectation expected = options_.oracle(row, sequence_);
    report_.note_distance(expected.distance);
    if (expected.distance < options_.near) {
      ++report_.near;
      return;
    }
    const auto same_id = [](const auto& a, const auto& b) { return a.id == b.id; };
    if (!std::equal(found.begin(), found.end(), expected.survivors.begin(), expected.survivors.end(),
                    same_id))
      return fail("survivors: " + std::to_string(found.size()) + " tokens are left, the oracle leaves " +
                      std::to_string(expected.survivors.size()) + " or others",
                  row);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const sluice::candidate& a = found[i];
      const sluice::candidate& b = expected.survivors[i];
      if (!close(double(a.logit), double(b.logit), options_.tolerance, 1))
        return fail("survivors: token " + std::to_string(a.id) + " has logit " + std::to_string(a.logit) +
                        ", by the oracle " + std::to_string(b.logit),
                    row);
      if (!close(double(a.probability), double(b.probability), options_.tolerance, 1e-7))
        return fail("survivors: token " + std::to_string(a.id) + " has probability " +
                        std::to_string(a.probability) + ", by the oracle " + std::to_string(b.probability),
                    row);
    }
  }

  void check_legal(const std::vector<float>& row, const distribution& found) {
    if (found.empty()) return fail("never empty: no token is left", row);
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const sluice::candidate& c = found[i];
      if (c.id < 0 || static_cast<std::size_t>(c.id) >= row.size())
        return fail("never empty: id " + std::to_string(c.id) + " is not in the row", row);
      if (!(row[static_cast<std::size_t>(c.id)] > minus_infinity))
        return fail("removed: absent token " + std::to_string(c.id) + " came back", row);
      if (i > 0 &&
          !(found[i - 1].logit > c.logit || (found[i - 1].logit == c.logit && found[i - 1].id < c.id)))
        return fail("ranked: token " + std::to_string(c.id) + " is out of order", row);
      sum += double(c.probability);
    }
    if (!(std::abs(sum - 1) <= 1e-4)) fail("ranked: the probabilities sum to " + std::to_string(sum), row);
    const sluice::sample_result drawn = sample(row);
    if (!drawn) return fail("never empty: sample gives no token", row);
    const auto is_drawn = [&](const auto& c) { return c.id == drawn.token && c.probability > 0; };
    if (std::none_of(found.begin(), found.end(), is_drawn))
      fail("never empty: token " + std::to_string(drawn.token) + " is drawn and not in the distribution",
           row);
    if (sample(row).token != drawn.token) fail("pure: sample twice, two tokens", row);
  }

  void check_twice(const std::vector<float>& row, const distribution& found) {
    if (!same_bits(distribution_of(row), found)) fail("pure: twice, two distributions", row);
  }

  void check_removed(const std::vector<float>& row, const distribution& found) {
    std::vector<float> longer = row;
    longer.insert(longer.end(), 1 + random_.below(300), minus_infinity);
    if (!same_bits(distribution_of(longer), found)) fail("removed: an appended -inf counts", row);

    std::vector<std::uint32_t> allowed((row.size() + 31) / 32, 0);
    std::vector<float> absent = row;
    std::vector<float> unknown = row;
    const double share = random_.uniform();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == 0 || random_.chance(share)) {
        allowed[i / 32] |= 1u << (i % 32);
      } else {
        absent[i] = minus_infinity;
        unknown[i] = not_a_number;
      }
    }
    const distribution masked = distribution_of(row, {.mask = sluice::token_mask(allowed)});
    if (!same_bits(distribution_of(absent), masked)) fail("removed: masked is not -inf", row);
    if (!same_bits(distribution_of(unknown), masked)) fail("removed: NaN is not -inf", row);
  }

  void check_zero(std::vector<float> row) {
    for (std::size_t i = 0; i < row.size(); i += 1 + random_.below(4))
      if (row[i] > minus_infinity) row[i] = 0.0f;
    std::vector<float> negated = row;
    for (float& l : negated)
      if (l == 0 && random_.chance(0.5)) l = -0.0f;
    if (!same_values(distribution_of(row), distribution_of(negated))) fail("zero: -0 is not +0", row);
    if (sample(row).token != sample(negated).token) fail("zero: -0 draws another token", row);
  }

  void check_argmax(const std::vector<float>& row, const distribution& found) {
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    if (!found.empty() && found.front().id != best) fail("argmax: the best token is removed", row);
  }

  void check_odds(const std::vector<float>& row, const distribution& found) {
    double sum = 0;
    for (const auto& c : found) sum += std::exp(double(c.logit) - double(found.front().logit));
    for (const auto& c : found) {
      if (c.logit != row[static_cast<std::size_t>(c.id)])
        return fail("odds: token " + std::to_string(c.id) + " has another logit", row);
      const double expected = std::exp(double(c.logit) - double(found.front().logit)) / sum;
      if (!close(double(c.probability), expected, options_.tolerance, 1e-7))
        return fail("odds: token " + std::to_string(c.id) + " has another share", row);
    }
  }

  void check_shift(const std::vector<float>& row) {
    const std::vector<float> grid = make_row(random_, shape::grid, row.size());
    std::vector<float> shifted = grid;
    const float constant = static_cast<float>(random_.between(-64, 64));
    for (float& l : shifted) l += constant;
    if (same_probabilities(distribution_of(shifted), distribution_of(grid), options_.tolerance)) return;
    // A decision that lies near its cut may fall on either side of it.
    if (options_.oracle && options_.oracle(grid, sequence_).distance < options_.near) return;
    fail("shift: adding " + std::to_string(constant) + " changes the distribution", grid);
  }

  void check_off(const std::vector<float>& row) {
    if (options_.neutral.empty()) return;
    const distribution untouched = distribution_of(sluice::chain<>{}, row, {});
    for (const Stage& stage : options_.neutral)
      if (!same_bits(distribution_of(sluice::chain<Stage>{stage}, row, {}), untouched))
        fail("off is free: a neutral stage changes the row", row);
  }

  void fail(const std::string& rule, const std::vector<float>& row) {
    ++report_.failures;
    if (row.size() >= report_.first_size) return;
    report_.first_size = row.size();
    report_.first = rule + "; " + to_text(row) + ", seed " + std::to_string(sequence_.seed()) +
                    ", position " + std::to_string(sequence_.position()) + ", history {";
    for (const sluice::token_id token : sequence_.tokens()) report_.first += std::to_string(token) + " ";
    report_.first += "}";
  }

  const harness_options<Stage>& options_;
  sluice::chain<Stage> chain_;
  sluice::sequence sequence_{0};
  generator random_;
  harness_report report_;
};

}  // namespace detail

/// Tries the stage and reports.
template <class Stage>
harness_report try_stage(const Stage& stage, const harness_options<Stage>& options) {
  return detail::harness<Stage>(stage, options).run();
}

/// No rule broken, and at most one row in a hundred too near to a cut.
inline void check_report(const harness_report& report) {
  std::string distances;
  for (const std::size_t rows : report.distances) distances += " " + std::to_string(rows);
  INFO("rows by decade of their distance to a cut:" << distances);
  INFO(report.failures << " failures in " << report.rows << " rows, " << report.near << " near a cut; "
                       << report.first);
  CHECK(report.failures == 0);
  CHECK(report.near * 100 <= report.rows);
}

template <class Stage>
void check_stage(const Stage& stage, const harness_options<Stage>& options = {}) {
  check_report(try_stage(stage, options));
}

}  // namespace tests
