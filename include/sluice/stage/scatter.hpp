#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include <sluice/cut/by_rank.hpp>
#include <sluice/cut/rank_diffusion.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// Scatter: the best k tokens trade mass with their neighbours in rank, through a Gaussian of
/// the given radius in ranks; the others are removed. p = normalise((1 - s) p + s q), `steps` times. With
/// `adaptive` the strength follows their normalised entropy; `absorption` damps tokens of the last
/// `absorption_last_n`; `collision` is the probability that a step scatters at all, and a miss touches
/// nothing. The ranking is kept, ids included; absorption alone may reorder. A masked token gets no mass.
/// Ranges: strengths and collision in [0, 1], entropy_target in (0, 1), k <= 1024, steps <= 64. Off where k
/// <= 1, radius, steps or collision is 0, or strength and absorption are and `adaptive` is not set. Cost: a
/// selection of k, and steps * k * 8 radius multiplications at most.
struct scatter {
  static constexpr place where = place::scatter;
  static constexpr stage_kind kind = stage_kind::reshape;
  static constexpr stage_name name = {"scatter", 'r'};
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

  static constexpr auto parameters = std::tuple{
      parameter{"scatter_strength", &scatter::strength, &sampling_params::scatter_strength,
                detail::unit_interval},
      parameter{"scatter_radius", &scatter::radius, &sampling_params::scatter_radius},
      parameter{"scatter_k", &scatter::k, &sampling_params::scatter_k, integer_range{.high = 1024}},
      parameter{"scatter_steps", &scatter::steps, &sampling_params::scatter_steps, integer_range{.high = 64}},
      parameter{"scatter_adaptive", &scatter::adaptive, &sampling_params::scatter_adaptive},
      parameter{"scatter_strength_min", &scatter::strength_min, &sampling_params::scatter_strength_min,
                detail::unit_interval},
      parameter{"scatter_strength_max", &scatter::strength_max, &sampling_params::scatter_strength_max,
                detail::unit_interval},
      parameter{"scatter_entropy_target", &scatter::entropy_target, &sampling_params::scatter_entropy_target,
                real_range{.low = 0, .high = 1, .low_end = bound::open, .high_end = bound::open}},
      parameter{"scatter_absorption", &scatter::absorption, &sampling_params::scatter_absorption,
                real_range{.low = 0}},
      parameter{"scatter_collision", &scatter::collision, &sampling_params::scatter_collision,
                detail::unit_interval},
      parameter{"scatter_absorption_last_n", &scatter::absorption_last_n,
                &sampling_params::scatter_absorption_last_n, detail::any_window}};

  problem check() const {
    if (detail::order_key(strength_min) <= detail::order_key(strength_max)) return {};
    return detail::sentence("scatter_strength_min")
           << " must be <= scatter_strength_max (" << strength_max << "), got " << strength_min;
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
    const std::span<candidate> best = r.top(std::size_t(k));
    std::array<double, rank_diffusion::longest> mass;
    const std::span<double> p(mass.data(), best.size());
    detail::softmax_of(best, p);
    const double s = adaptive ? adapted(detail::normalized_entropy_of(p)) : double(strength);
    if (s > 0)
      for (int step = 0; step < steps; ++step) detail::diffuse(diffusion, p, s);
    for (std::size_t i = 1; i < p.size(); ++i) p[i] = std::min(p[i], p[i - 1]);
    if (absorption > 0) absorb(r, q, best, p);
    detail::write_back(best, p);
    r.replace(best);
  }
  bool prepare(sequence& q, workspace&, std::size_t) const noexcept {
    return absorption <= 0 || bool(q.window(absorption_last_n));
  }

 private:
  /// The straight lines through (0, strength_max), (entropy_target, strength) and (1, strength_min).
  double adapted(double entropy) const noexcept {
    const double middle = std::clamp(double(strength), double(strength_min), double(strength_max));
    const double target = entropy_target;
    if (entropy <= target) return strength_max + (middle - strength_max) * (entropy / target);
    return middle + (strength_min - middle) * ((entropy - target) / (1 - target));
  }

  /// p_i *= e^(-absorption * count_i), then the ranking anew. Counts are taken from the smallest of a token
  /// with mass, which changes nothing once normalised: so some mass is always left.
  void absorb(row& r, sequence& q, std::span<candidate> best, std::span<double> p) const noexcept {
    const token_counts seen = q.window(absorption_last_n);
    if (!seen) return r.fail(sample_status::out_of_memory);
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < best.size(); ++i)
      if (p[i] > 0) least = std::min(least, seen.of(best[i].id));
    for (std::size_t i = 0; i < best.size(); ++i)
      if (p[i] > 0) p[i] *= kernel::exp(-double(absorption) * (seen.of(best[i].id) - least));
    detail::rank_again(best, p);
  }
};
static_assert(history_stage<scatter>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
