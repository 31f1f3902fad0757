// A stage of one's own, top-a: keeps the tokens with p >= a * max(p)^2. It is a struct with a place in the
// order, a word on whether it has anything to do, and a call that works on the row. custom_stage.cpp puts it
// into a chain; tests/rules/own_stage.cpp shows how to check it with tests/harness.hpp.
#pragma once

#include <cmath>
#include <sluice/sluice.hpp>

/// a in [0, 1]; 0 is off. The best token always stays.
struct top_a {
  static constexpr auto where = sluice::place(int(sluice::place::min_p) + 1);  // just behind min_p
  float a = 0;
  bool active() const noexcept { return a > 0; }
  void operator()(sluice::row& row) const noexcept {
    // As logits: max(p) = exp(max - L), where L = ln(sum of exp(l)); so l >= 2 max - L + ln(a).
    row.keep_at_least(2.0 * double(row.max()) - row.log_sum_exp() + std::log(double(a)));
  }
};
static_assert(sluice::stage<top_a>);
