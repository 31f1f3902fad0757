#pragma once

// Certificates: on which side of a cut by mass a token stands, told from approximate masses.

#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/cut/by_rank.hpp>
#include <sluice/kernel/arithmetic/schraudolph.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::cut {

SLUICE_IEEE_BEGIN

enum class side : std::uint8_t { inside, outside, unknown };

// With a the mass of a prefix and r the rest, it lacks the needed mass iff a < p (a + r). Approximate masses
// are up to 1.0615 too large, the slack covers their rounding; their sums run in float inside a block, which
// errs by less than `sum_error` of the total in a difference.
inline constexpr double approx_spread = 1.0616, approx_slack = 1 + 1e-4, sum_error = 2e-6;
inline bool surely_inside(double at_most, double total, double p) noexcept {
  return at_most * (1 - p) * approx_slack < p * (total - at_most - sum_error * total) / approx_spread;
}
inline bool surely_outside(double at_least, double total, double p) noexcept {
  return at_least * (1 - p) / approx_spread > p * (total - at_least + sum_error * total) * approx_slack;
}

/// The approximate masses of a row, its total kept.
class approximate_masses {
 public:
  explicit approximate_masses(row& r) noexcept : blocks_(detail::row_internals::blocks(r)), max_(r.max()) {}

  double total() noexcept {
    if (total_ < 0) total_ = from(kernel::infinite(-1)).reached;
    return total_;
  }
  /// Of the tokens that reach a logit, in some blocks.
  kernel::approx_masses from(float logit, std::span<const kernel::block> some) const noexcept {
    blocks_.widened(logit);
    return blocks_.kernels().approx_mass(some.data(), some.size(), blocks_.present(), logit, max_);
  }
  kernel::approx_masses from(float logit) const noexcept { return from(logit, blocks_.table()); }
  /// What tokens that tie with a logit weigh, at most.
  double ties(std::size_t count, float logit) const noexcept {
    return double(count) * double(kernel::schraudolph_exp(logit, max_)) * approx_slack;
  }
  const row_blocks& blocks() const noexcept { return blocks_; }

 private:
  row_blocks& blocks_;
  float max_;
  double total_ = -1;
};

/// Where logits stand to the nucleus of mass p.
class nucleus_bounds {
 public:
  nucleus_bounds(row& r, float p) noexcept : masses_(r), p_(double(p)) {}

  /// `inside`: every token with l >= logit is; `outside`: every token with l <= logit is.
  side at(float logit) noexcept {
    const std::span<const kernel::block> all = masses_.blocks().table();
    // Where few blocks reach the logit, what lies below it in them is often enough of a rest.
    if (masses_.blocks().blocks_reaching(logit) < all.size() / 4) {
      const kernel::approx_masses s = masses_.from(logit);
      if (surely_inside(s.reached, s.visited, p_)) return side::inside;
    }
    const double total = masses_.total();
    // Or what lies below it in a part of the row.
    const std::span<const kernel::block> some = all.first(all.size() / 4);
    const kernel::approx_masses part = masses_.from(logit, some);
    const double rest = part.visited - part.reached - sum_error * part.visited;
    if (rest / approx_spread > (1 - p_) * total * approx_slack) return side::inside;
    const kernel::approx_masses others = masses_.from(logit, all.subspan(some.size()));
    const double reached = part.reached + others.reached;
    if (surely_inside(reached, total, p_)) return side::inside;
    const double above = reached - masses_.ties(part.ties + others.ties, logit);
    return surely_outside(above, total, p_) ? side::outside : side::unknown;
  }

  approximate_masses& masses() noexcept { return masses_; }

 private:
  approximate_masses masses_;
  double p_;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::cut

#include <sluice/macros_back.inc>
