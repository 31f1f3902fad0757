#pragma once

#include <limits>

#include <sluice/draw/weight.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

SLUICE_IEEE_BEGIN

/// ln p of a row's survivors, in the law that the draw sees. The row is not empty, and is neither changed nor
/// its scratch memory used.
class log_law {
 public:
  log_law(row& r, draw_method method) noexcept : weights_(r), integers_(method == draw_method::softmax) {
    if (integers_ || detail::row_internals::discount_probability(r) == 0) {
      log_total_ = kernel::ln(double(weights_.total()));
      if (!integers_) log_total_ -= kernel::mass_bits * kernel::ln_2;
      return;
    }
    // Tokens that are not discounted may lie so deep that their masses round to nothing.
    const double top = weights_.top();
    double sum = 0;
    r.each([&](token_id id, float logit) {
      sum += kernel::exp(weights_.exponent(logit) + weights_.log_factor(id) - top);
    });
    log_total_ = top + kernel::ln(sum);
  }

  /// Rounded to float; -inf where the draw never takes the token.
  kernel::any_float of(token_id id, float logit) const noexcept {
    const double weight = integers_ ? kernel::ln(double(weights_.mass(id, logit)))
                                    : weights_.exponent(logit) + weights_.log_factor(id);
    if (!(weight >= std::numeric_limits<double>::lowest())) return kernel::infinite(-1);
    const double p = weight - log_total_;
    return kernel::saturated(p < 0 ? p : 0);
  }

 private:
  weights weights_;
  double log_total_ = 0;
  bool integers_;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::draw

#include <sluice/macros_back.inc>
