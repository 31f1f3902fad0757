#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "harness.hpp"

// A stage of one's own goes through the harness like the library's; and for every rule a stage that breaks
// it, which the harness must reject by name.

namespace {

using sluice::place;
using sluice::row;

constexpr place behind_min_p = place(int(place::min_p) + 1);

/// Top-a: keeps p >= a * max(p)^2.
struct top_a {
  static constexpr place where = behind_min_p;
  float a = 0;
  bool active() const noexcept { return a > 0; }
  void operator()(row& r) const noexcept {
    r.keep_at_least(2.0 * double(r.max()) - r.log_sum_exp() + std::log(double(a)));
  }
};

tests::expectation top_a_by_definition(std::span<const float> logits, float a) {
  tests::expectation result;
  const long double max = *std::max_element(logits.begin(), logits.end());
  long double sum = 0;
  for (const float l : logits) sum += std::exp(l - max);
  long double kept = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const long double p = std::exp(logits[i] - max) / sum;
    const long double cut = a / (sum * sum);
    if (logits[i] > tests::minus_infinity && logits[i] != max)
      result.distance = std::min(result.distance, static_cast<double>(std::fabs(p / cut - 1)));
    if (p < cut && logits[i] != max) continue;
    result.survivors.push_back({static_cast<int>(i), logits[i], static_cast<float>(p)});
    kept += p;
  }
  for (sluice::candidate& c : result.survivors) c.probability /= static_cast<float>(kept);
  std::stable_sort(result.survivors.begin(), result.survivors.end(),
                   [](const auto& x, const auto& y) { return x.logit > y.logit; });
  return result;
}

// Each of these breaks one rule.

struct drops_the_best {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept {
    if (r.size() > 1) r.remove(r.argmax());
  }
};

struct empties_the_row {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept {
    while (!r.empty()) r.remove(r.argmax());
  }
};

struct reshapes {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept {
    r.edit(r.argmax(), [](double l) { return l + 1; });
  }
};

/// A cut at one over the number of tokens, absent ones counted.
struct counts_the_absent {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept {
    r.keep_at_least(r.log_sum_exp() - std::log(double(r.vocab_size())));
  }
};

struct cuts_at_zero {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept { r.keep_at_least(0); }
};

struct works_when_off {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept { r.keep_top(3); }
};

struct remembers {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept {
    static int calls = 0;
    r.keep_top(1 + ++calls % 3);
  }
};

struct reads_the_sign_of_zero {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept {
    if (std::signbit(r.max())) r.keep_top(2);
  }
};

struct writes_the_callers_row {
  static constexpr place where = behind_min_p;
  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept { const_cast<float*>(r.blocks()[0].logits)[0] = -1000; }
};

/// Top-a with a threshold that is a little too high.
struct high_top_a {
  static constexpr place where = behind_min_p;
  float a = 0;
  bool active() const noexcept { return a > 0; }
  void operator()(row& r) const noexcept { top_a{a * 1.001f}(r); }
};

template <class Stage>
std::string broken_rule(tests::harness_options<Stage> options = {}, const Stage& stage = {}) {
  options.rows = 200;
  options.large_rows = 0;
  const tests::harness_report report = tests::try_stage(stage, options);
  CHECK(report.failures > 0);
  return report.first.substr(0, report.first.find(':'));
}

}  // namespace

TEST_CASE("a user's stage goes through the harness with an oracle of its own") {
  for (const float a : {0.05f, 0.3f, 0.9f})
    tests::check_stage(top_a{.a = a},
                       {.rows = tests::scaled(3'000),
                        .oracle = [a](std::span<const float> logits,
                                      const sluice::sequence&) { return top_a_by_definition(logits, a); },
                        .neutral = {{.a = 0}}});
}

TEST_CASE("the harness rejects a stage that breaks a rule, and names the rule") {
  CHECK(broken_rule<drops_the_best>() == "argmax");
  CHECK(broken_rule<empties_the_row>() == "never empty");
  CHECK(broken_rule<reshapes>() == "odds");
  CHECK(broken_rule<counts_the_absent>() == "removed");
  CHECK(broken_rule<cuts_at_zero>() == "shift");
  CHECK(broken_rule<works_when_off>({.neutral = {works_when_off{}}}) == "off is free");
  CHECK(broken_rule<remembers>() == "pure");
  CHECK(broken_rule<reads_the_sign_of_zero>() == "zero");
  CHECK(broken_rule<writes_the_callers_row>() == "pure");
  CHECK(broken_rule<high_top_a>(
            {.oracle = [](std::span<const float> logits,
                          const sluice::sequence&) { return top_a_by_definition(logits, 0.3f); }},
            {.a = 0.3f}) == "survivors");
}

TEST_CASE("the harness counts rows near a cut and fails where they are more than one in a hundred") {
  tests::harness_options<top_a> options;
  options.rows = 300;
  options.large_rows = 0;
  std::size_t calls = 0;
  options.oracle = [&](std::span<const float> logits, const sluice::sequence&) {
    tests::expectation result = top_a_by_definition(logits, 0.3f);
    result.distance = calls++ % 20 == 0 ? 1e-7 : 1;
    return result;
  };
  const tests::harness_report report = tests::try_stage(top_a{.a = 0.3f}, options);
  CHECK(report.near * 100 > report.rows);
}
