#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include <sluice/cut/by_rank.hpp>
#include <sluice/draw/weight.hpp>
#include <sluice/history/feedback.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Mirostat (Basu et al., arXiv 2007.14966): steers the surprise of what is drawn, in bits, to tau. Version 2
/// keeps the tokens with -log2 p <= mu, version 1 the first k in rank, k from mu and from how fast the best
/// 100 probabilities fall; the best token stays. Accepting the token that was drawn moves mu by
/// -eta (surprise - tau), the surprise among what was kept; another token leaves it. mu begins at 2 tau,
/// belongs to the sequence, and is rewound with it. 0 is off. In sampling_params it acts alone: biases,
/// temperature, mirostat. Ends a chain by hand, and truncates what the stages before it left.
/// Cost: a pass of masses, and for version 1 the ranking of 100 tokens.
struct mirostat {
  static constexpr place where = place::draw;
  static constexpr stage_kind kind = stage_kind::draw;
  int version = 2;
  float tau = 5;
  float eta = 0.1f;
  draw_method by = draw_method::gumbel;

  static constexpr auto parameters =
      std::tuple{parameter{"mirostat", &mirostat::version, &sampling_params::mirostat,
                           integer_range{.low = 0, .high = 2}},
                 parameter{"mirostat_tau", &mirostat::tau, &sampling_params::mirostat_tau},
                 parameter{"mirostat_eta", &mirostat::eta, &sampling_params::mirostat_eta}};

  static mirostat from(const sampling_params& p) {
    return {.version = p.mirostat, .tau = p.mirostat_tau, .eta = p.mirostat_eta, .by = p.draw};
  }
  bool active() const noexcept { return version != 0; }

  void shape(row& r, sequence& q) const noexcept {
    const double mu = mu_of(q);
    if (version == 1) return r.keep_top(std::int64_t(kept_by_rank(r, mu)));
    const double reach = r.temperature() * (draw::log_total(r) - mu * kernel::ln_2);
    if (reach > 0) return r.keep_top(1);
    r.keep_at_least(double(r.max()) + reach);
  }
  bool settle(row& r, sequence& q, token_id token) const noexcept {
    const double surprise = -draw::log_probability(r, token) / kernel::ln_2;
    const double next = mu_of(q) - double(eta) * (surprise - double(tau));
    return detail::note_draw(detail::sequence_access::of(q),
                             {detail::feedback_kind::mirostat, token, next, 0});
  }

 private:
  double mu_of(const sequence& q) const noexcept {
    return detail::feedback_of(detail::sequence_access::of(q), detail::feedback_kind::mirostat,
                               2 * double(tau))
        .value;
  }

  /// Zipf's exponent s from the best 100, then k = ((s - 1) 2^mu / (1 - n^-(s - 1)))^(1/s).
  std::size_t kept_by_rank(row& r, double mu) const noexcept {
    const double n = double(r.size()), inverse = 1.0 / r.temperature();
    const std::span<const candidate> best = r.top(100);
    double products = 0, squares = 0;
    for (std::size_t i = 0; i + 1 < best.size(); ++i) {
      const double t = kernel::ln(double(i + 2) / double(i + 1));
      products += t * ((double(best[i].logit) - double(best[i + 1].logit)) * inverse);
      squares += t * t;
    }
    const double s = products / squares, e = s - 1;
    if (best.size() < 2 || e == 0) return r.size();
    const auto magnitude = [](double x) noexcept { return x < 0 ? -x : x; };
    const double log_power = kernel::ln(magnitude(e)) + mu * kernel::ln_2 -
                             kernel::ln(magnitude(1 - kernel::exp(-e * kernel::ln(n))));
    if (s == 0) return log_power < 0 ? 1 : r.size();
    const double k = kernel::exp(log_power / s);
    if (!(k < n)) return r.size();
    return std::size_t(std::max(k, 1.0));
  }
};
static_assert(feedback_draw<mirostat>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
