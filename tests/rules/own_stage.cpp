#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "../../examples/top_a.hpp"
#include "harness.hpp"

// The stage of examples/custom_stage.cpp goes through the harness like the library's; and for every rule a
// stage that breaks it, which the harness must reject by name.

namespace {

using sluice::place;
using sluice::row;

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
  std::sort(result.survivors.begin(), result.survivors.end(), [](const auto& x, const auto& y) {
    return x.logit != y.logit ? x.logit > y.logit : x.id < y.id;
  });
  return result;
}

enum class fault {
  drops_the_best,
  empties_the_row,
  writes_logits,
  counts_the_absent,
  cuts_at_zero,
  works_when_off,
  remembers,
  reads_the_sign_of_zero,
  writes_the_callers_row
};

/// Breaks one rule.
struct faulty {
  static constexpr auto where = place(int(place::min_p) + 1);
  fault breaks = fault::works_when_off;

  bool active() const noexcept { return true; }
  void operator()(row& r) const noexcept {
    switch (breaks) {
      case fault::drops_the_best:
        if (r.size() > 1) r.remove(r.argmax());
        return;
      case fault::empties_the_row:
        while (!r.empty()) r.remove(r.argmax());
        return;
      case fault::writes_logits:
        return r.edit(r.argmax(), [](double l) { return l + 1; });
      case fault::counts_the_absent:
        return r.keep_at_least(r.log_sum_exp() - std::log(double(r.vocab_size())));
      case fault::cuts_at_zero:
        return r.keep_at_least(0);
      case fault::works_when_off:
        return r.keep_top(3);
      case fault::remembers: {
        static int calls = 0;
        return r.keep_top(1 + ++calls % 3);
      }
      case fault::reads_the_sign_of_zero:
        if (r.max() == 0 && std::signbit(r.max())) r.keep_top(2);
        return;
      case fault::writes_the_callers_row:
        const_cast<float*>(sluice::detail::row_internals::blocks(r).table()[0].logits)[0] = -1000;
        return;
    }
  }
};

template <class Stage>
std::string broken_rule(const Stage& stage, tests::harness_options<Stage> options = {}) {
  options.rows = 200;
  options.large_rows = 0;
  const tests::harness_report report = tests::try_stage(stage, options);
  CHECK(report.failures > 0);
  return report.first.substr(0, report.first.find(':'));
}

std::string broken_rule(fault breaks) { return broken_rule(faulty{breaks}); }

auto top_a_oracle(float a) {
  return
      [a](std::span<const float> logits, const sluice::sequence&) { return top_a_by_definition(logits, a); };
}

}  // namespace

TEST_CASE("a user's stage goes through the harness with an oracle of its own") {
  for (const float a : {0.05f, 0.3f, 0.9f})
    tests::check_stage(top_a{.a = a},
                       {.rows = tests::scaled(3'000), .oracle = top_a_oracle(a), .neutral = {{.a = 0}}});
}

TEST_CASE("the harness rejects a stage that breaks a rule, and names the rule") {
  CHECK(broken_rule(fault::drops_the_best) == "argmax");
  CHECK(broken_rule(fault::empties_the_row) == "never empty");
  CHECK(broken_rule(fault::writes_logits) == "odds");
  CHECK(broken_rule(fault::counts_the_absent) == "removed");
  CHECK(broken_rule(fault::cuts_at_zero) == "shift");
  CHECK(broken_rule(fault::remembers) == "pure");
  CHECK(broken_rule(fault::reads_the_sign_of_zero) == "zero");
  CHECK(broken_rule(fault::writes_the_callers_row) == "pure");
  CHECK(broken_rule(faulty{}, {.neutral = {faulty{}}}) == "off is free");
  CHECK(broken_rule(top_a{.a = 0.3f * 1.001f}, {.oracle = top_a_oracle(0.3f)}) == "survivors");
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
