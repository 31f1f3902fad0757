#pragma once

#include <span>

#include <sluice/cut/by_rank.hpp>
#include <sluice/draw/weight.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

SLUICE_IEEE_BEGIN

/// The survivors in rank order with their probabilities, of the weights that the draw uses. In the scratch
/// memory.
inline std::span<const candidate> law_of(row& r, draw_method method) noexcept {
  const std::span<candidate> survivors = r.top(r.size());
  weights weights(r);
  const bool integers = method == draw_method::softmax;
  const double top = integers ? 0 : weights.top();
  double sum = integers ? double(weights.total()) : 0;
  const auto weight = [&](const candidate& c) {
    return integers ? double(weights.mass(c.id, c.logit))
                    : kernel::exp(weights.exponent(c.logit) + weights.log_factor(c.id) - top);
  };
  if (!integers)
    for (const candidate& c : survivors) sum += weight(c);
  for (candidate& c : survivors) c.probability = float(weight(c) / sum);
  return survivors;
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::draw

#include <sluice/macros_back.inc>
