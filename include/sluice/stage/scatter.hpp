#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include <sluice/history.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/params/check.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/rank_diffusion.hpp>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Scatter: the best k tokens (the medium) trade mass with their neighbours in rank, through a Gaussian of
/// the given radius in ranks; the others are removed. p = normalise((1 - s) p + s q), `steps` times. With
/// `adaptive` the strength follows the medium's normalised entropy; `absorption` damps tokens of the last
/// `absorption_last_n`; `collision` is the probability that a step scatters at all, and a miss touches
/// nothing. The ranking is kept, ids included; absorption alone may reorder. A masked token gets no mass.
/// Ranges: strengths and collision in [0, 1], entropy_target in (0, 1), k <= 1024, steps <= 64. Off where k
/// <= 1, radius, steps or collision is 0, or strength and absorption are and `adaptive` is not set. Cost: a
/// selection of k, and steps * k * 8 radius multiplications at most.
struct scatter {
  static constexpr place where = place::scatter;
  float strength = 0;
  float radius = 2.5f;
  int k = 64;
  int steps = 1;
  bool adaptive = false;
  float strength_min = 0.02f;
  float strength_max = 0.30f;
  float entropy_target = 0.55f;
  float absorption = 0;
  int absorption_last_n = 64;
  float collision = 1;
  rank_diffusion diffusion = {};  ///< built from k and radius

  problem check() const {
    return detail::first_problem(
        detail::check_field("scatter_strength", strength), detail::check_field("scatter_radius", radius),
        detail::check_field("scatter_k", k), detail::check_field("scatter_steps", steps),
        detail::check_field("scatter_strength_min", strength_min),
        detail::check_field("scatter_strength_max", strength_max),
        detail::check_scatter_bounds(strength_min, strength_max),
        detail::check_field("scatter_entropy_target", entropy_target),
        detail::check_field("scatter_absorption", absorption),
        detail::check_field("scatter_absorption_last_n", absorption_last_n),
        detail::check_field("scatter_collision", collision));
  }
  void build() {
    if (active()) detail::build(diffusion, k, radius);
  }
  bool active() const noexcept {
    return (strength > 0 || adaptive || absorption > 0) && k > 1 && radius > 0 && steps > 0 && collision > 0;
  }

  void operator()(row& r, sequence& q) const noexcept {
    if (!random::coin({q.seed(), q.position()}, random::stream::scatter_gate, collision)) return;
    r.keep_top(k);
    if (r.size() < 2) return;
    const std::span<candidate> medium = r.top(std::size_t(k));
    std::array<double, rank_diffusion::longest> mass;
    const std::span<double> p(mass.data(), medium.size());
    detail::softmax_of(medium, p);
    const double s = adaptive ? adapted(detail::disorder_of(p)) : double(strength);
    if (s > 0)
      for (int step = 0; step < steps; ++step) detail::diffuse(diffusion, p, s);
    for (std::size_t i = 1; i < p.size(); ++i) p[i] = std::min(p[i], p[i - 1]);
    if (absorption > 0) absorb(r, q, medium, p);
    detail::write_back(medium, p);
    r.replace(medium);
  }
  bool prepare(sequence& q, workspace&, std::size_t) const noexcept {
    return absorption <= 0 || past::window(q, absorption_last_n, counted::all) != nullptr;
  }

 private:
  /// The straight lines through (0, strength_max), (entropy_target, strength) and (1, strength_min).
  double adapted(double disorder) const noexcept {
    const double middle = std::clamp(double(strength), double(strength_min), double(strength_max));
    const double target = entropy_target;
    if (disorder <= target) return strength_max + (middle - strength_max) * (disorder / target);
    return middle + (strength_min - middle) * ((disorder - target) / (1 - target));
  }

  /// p_i *= e^(-absorption * count_i), then the ranking anew. Counts are taken from the smallest of a token
  /// with mass, which changes nothing once normalised: so some mass is always left.
  void absorb(row& r, sequence& q, std::span<candidate> medium, std::span<double> p) const noexcept {
    const token_counts seen = r.window(q, absorption_last_n);
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < medium.size(); ++i)
      if (p[i] > 0) least = std::min(least, seen.of(medium[i].id));
    for (std::size_t i = 0; i < medium.size(); ++i)
      if (p[i] > 0) p[i] *= kernel::exp(-double(absorption) * (seen.of(medium[i].id) - least));
    detail::rank_again(medium, p);
  }
};
static_assert(history_stage<scatter>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1
