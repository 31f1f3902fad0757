// One stage against the oracle: the harness over many values of its parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "harness.hpp"
#include "oracle_chain.hpp"
#include "random_params.hpp"

namespace tests {

/// What the oracle says of a chain of these parameters.
inline auto oracle_of(const sluice::sampling_params& params) {
  return [params](std::span<const float> row, const sluice::sequence& sequence) {
    oracle::situation given{.logits = row, .mask = {}, .call_bias = {}, .past = {}, .now = {}};
    given.past.tokens.assign(sequence.tokens().begin(), sequence.tokens().end());
    given.now = {sequence.seed(), sequence.position()};
    const oracle::outcome outcome = oracle::run(params, given);
    expectation result;
    result.distance = static_cast<double>(outcome.distance);
    for (const oracle::chance& c : outcome.law)
      result.survivors.push_back({c.of.id, c.of.logit, static_cast<float>(c.probability)});
    return result;
  };
}

/// `make` gives a stage and the parameters of the chain that has this stage alone; rows are spread over its
/// values.
template <class Stage, class Make>
void check_values(Make make, harness_options<Stage> options) {
  constexpr std::size_t values = 100;
  const std::size_t rows = options.rows;
  const std::size_t large_rows = options.large_rows;
  generator g(options.seed);
  harness_report total;
  for (std::size_t i = 0; i < values; ++i) {
    const std::pair<Stage, sluice::sampling_params> value = make(g);
    options.oracle = oracle_of(value.second);
    options.rows = rows * (i + 1) / values - rows * i / values;
    options.large_rows = large_rows * (i + 1) / values - large_rows * i / values;
    options.seed = g.next();
    total += try_stage(value.first, options);
  }
  check_report(total);
}

}  // namespace tests
