#pragma once

#include <sluice/cut/by_rank.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>
#include <tuple>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Below this a temperature means the best token.
inline constexpr float coldest = 1e-5f;

/// Temperature: the draw is from softmax(l / t). With range r > 0 (dynamic temperature) t moves between
/// max(0, t - r) and t + r with the entropy of the survivors: low + (high - low) (H / ln n)^exponent, rounded
/// to float; one survivor leaves t. t below 1e-5 keeps the best token alone. A call's own temperature stands
/// in for t. As the last stage it writes
/// nothing, the draw divides; a stage after it sees float(l / t). Cost: none; the range costs a pass of
/// masses.
struct temperature {
  static constexpr place where = place::temperature;
  static constexpr stage_kind kind = stage_kind::reshape;
  static constexpr stage_name name = {"temperature", 't', "temp"};
  float t = 1;
  float range = 0;
  float exponent = 1;

  static constexpr auto parameters =
      std::tuple{parameter{"temperature", &temperature::t, &sampling_params::temperature},
                 parameter{"dynatemp_range", &temperature::range, &sampling_params::dynatemp_range},
                 parameter{"dynatemp_exponent", &temperature::exponent, &sampling_params::dynatemp_exponent,
                           detail::above_zero}};

  bool active() const noexcept { return t != 1 || range > 0; }
  bool greedy() const noexcept { return t < coldest; }
  /// Whether the draw divides by t, whatever the row.
  bool fixed() const noexcept { return !greedy() && !(range > 0); }
  void operator()(row& r) const noexcept {
    const float own = detail::row_internals::temperature_of(r, t);
    const float now = own < coldest ? 0 : at(r, own);
    if (now < coldest) return r.keep_top(1);
    r.set_temperature(double(now));
  }

 private:
  float at(row& r, float own) const noexcept {
    if (!(range > 0) || r.size() < 2) return own;
    const double low = own > range ? double(own) - double(range) : 0, high = double(own) + double(range);
    const double normalized_entropy = r.entropy() / kernel::ln(double(r.size()));
    return float(low + (high - low) * kernel::power(normalized_entropy, double(exponent)));
  }
};
static_assert(row_stage<temperature>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
