#pragma once

#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/params/check.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Below this a temperature means the best token.
inline constexpr float coldest = 1e-5f;

/// Temperature: the draw is from softmax(l / t). With range r > 0 (dynamic temperature) t moves between
/// max(0, t - r) and t + r with the entropy of the survivors: low + (high - low) (H / ln n)^exponent, rounded
/// to float; one survivor leaves t. t below 1e-5 keeps the best token alone. As the last stage it writes
/// nothing, the draw divides; a stage after it sees float(l / t). Cost: none; the range costs a pass of
/// masses.
struct temperature {
  static constexpr place where = place::temperature;
  float t = 1;
  float range = 0;
  float exponent = 1;

  problem check() const {
    return detail::first_problem(detail::check_field("temperature", t),
                                 detail::check_field("dynatemp_range", range),
                                 detail::check_field("dynatemp_exponent", exponent));
  }
  bool active() const noexcept { return t != 1 || range > 0; }
  void operator()(row& r) const noexcept {
    const float now = t < coldest ? 0 : at(r);
    if (now < coldest) return r.keep_top(1);
    r.temper(double(now));
  }

 private:
  float at(row& r) const noexcept {
    if (!(range > 0) || r.size() < 2) return t;
    const double low = t > range ? double(t) - double(range) : 0, high = double(t) + double(range);
    const double disorder = r.entropy() / kernel::ln(double(r.size()));
    return float(low + (high - low) * kernel::power(disorder, double(exponent)));
  }
};
static_assert(row_stage<temperature>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1
