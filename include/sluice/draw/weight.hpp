#pragma once

#include <cstdint>

#include <sluice/row/statistics.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

SLUICE_IEEE_BEGIN

/// The tempered weights of a row's survivors: x = (l - max) / T, times xtc_marginal's factor where a token is
/// discounted. With rho the coin's probability and x the tempered mass of the discounted tokens the factor is
/// (1 - rho) / (1 + rho x / (1 - x)): one draw then has the law of coin and draw together.
class weights {
 public:
  explicit weights(row& r) noexcept
      : row_(r),
        max_(double(r.max())),
        inverse_(1.0 / r.temperature()),
        rho_(detail::row_internals::discount_probability(r)) {
    if (rho_ > 0) find_factor();
  }

  double exponent(float logit) const noexcept { return (double(logit) - max_) * inverse_; }
  double log_factor() const noexcept { return log_factor_; }
  double log_factor(token_id id) const noexcept {
    return detail::row_internals::discounted(row_, id) ? log_factor_ : 0;
  }

  /// round(2^44 * factor * e^x).
  std::uint64_t mass(token_id id, float logit) const noexcept {
    const bool discounted = detail::row_internals::discounted(row_, id);
    if (base_ != 0) return kernel::mass(exponent(logit) + (discounted ? log_factor_ : 0) - base_);
    return kernel::mass(exponent(logit), discounted ? factor_ : 1.0);
  }

  /// The largest x + ln(factor) of a survivor.
  double top() const noexcept {
    if (rho_ == 0) return 0;
    double best = -kernel::infinity;
    row_.each([&](token_id id, float logit) {
      const double x = exponent(logit) + log_factor(id);
      if (x > best) best = x;
    });
    return best;
  }

  /// The sum of the masses. Where all round to 0, because every token that is not discounted lies more
  /// than 31.2 nats below, the masses are taken anew under the largest weight.
  std::uint64_t total() noexcept {
    std::uint64_t sum = total_now();
    if (sum == 0) {
      base_ = top();
      sum = total_now();
    }
    return sum;
  }

 private:
  [[gnu::noinline]] std::uint64_t total_now() const noexcept {
    if (inverse_ == 1 && rho_ == 0) return row_.total_mass();
    std::uint64_t sum = 0;
    row_.each([&](token_id id, float logit) { sum += mass(id, logit); });
    return sum;
  }

  [[gnu::noinline]] void find_factor() noexcept {
    std::uint64_t discounted = 0, kept = 0;
    float best_kept = kernel::infinite(-1);
    row_.each([&](token_id id, float logit) {
      const std::uint64_t m = kernel::mass(exponent(logit));
      (detail::row_internals::discounted(row_, id) ? discounted : kept) += m;
      if (!detail::row_internals::discounted(row_, id) && logit > best_kept) best_kept = logit;
    });
    if (kept != 0) {
      factor_ = (1.0 - rho_) / (1.0 + rho_ * (double(discounted) / double(kept)));
      log_factor_ = kernel::ln(factor_);
    } else if (!(best_kept < kernel::lowest)) {
      // The kept tokens are too light to count beside the discounted ones: their quotient as a logarithm.
      row_.each([&](token_id id, float logit) {
        if (!detail::row_internals::discounted(row_, id))
          kept += kernel::mass((double(logit) - double(best_kept)) * inverse_);
      });
      const double quotient = kernel::ln(double(discounted) / double(kept)) - exponent(best_kept);
      log_factor_ = kernel::ln(1.0 - rho_) - (quotient + kernel::ln(rho_ + kernel::exp(-quotient)));
      factor_ = kernel::exp(log_factor_);
    }
  }

  row& row_;
  double max_, inverse_, rho_;
  double factor_ = 1, log_factor_ = 0, base_ = 0;
};

/// ln sum e^((l - max) / T).
inline double log_total(row& r) noexcept { return kernel::ln(double(weights(r).total()) / kernel::mass_one); }

/// ln p of a survivor, in the law that the draw sees; where the token is none, that of the best.
inline double log_probability(row& r, token_id token) noexcept {
  float logit = r.max();
  r.each([&](token_id id, float l) {
    if (id == token) logit = l;
  });
  return weights(r).exponent(logit) - log_total(r);
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::draw

#include <sluice/macros_back.inc>
