#pragma once

// Cuts by mass: the nucleus by rank, and the one by distance from a center.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <sluice/kernel/saturate.hpp>
#include <sluice/row/class.hpp>
#include <sluice/row/filter.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_STRICT_BEGIN

enum class side { inside, outside, unknown };

// On which side of a cut of mass p a prefix ends, by rough masses: with a its mass and r the rest it lacks
// the needed mass iff a < p (a + r). Rough sums are up to 1.0615 too large, the slack covers their rounding.
inline constexpr double rough_spread = 1.0616, rough_slack = 1 + 1e-4;
inline bool surely_inside(double at_most, double total, double p) noexcept {
  return at_most * (1 - p) * rough_slack < p * (total - at_most) / rough_spread;
}
inline bool surely_outside(double at_least, double total, double p) noexcept {
  return at_least * (1 - p) / rough_spread > p * (total - at_least) * rough_slack;
}

/// The rough masses of a row, its total kept.
class rough_masses {
 public:
  explicit rough_masses(row& r) noexcept : row_(r), max_(r.max()) {}

  double total() noexcept {
    if (total_ < 0) total_ = from(kernel::infinite(-1), row_.blocks()).reached;
    return total_;
  }
  kernel::rough_mass from(float logit, std::span<const kernel::block> blocks) const noexcept {
    return row_.kernels().rough(blocks.data(), blocks.size(), row_.present(), logit, max_);
  }
  kernel::rough_mass from(float logit) const noexcept { return from(logit, row_.blocks()); }
  /// What tokens that tie with a logit weigh, at most.
  double ties(std::size_t count, float logit) const noexcept {
    return double(count) * double(kernel::rough_exp(logit, max_)) * rough_slack;
  }
  std::span<const kernel::block> blocks() const noexcept { return row_.blocks(); }

 private:
  row& row_;
  float max_;
  double total_ = -1;
};

/// Where logits lie to the nucleus of mass p.
class nucleus_bounds {
 public:
  nucleus_bounds(row& r, float p) noexcept : masses_(r), p_(double(p)) {}

  /// `inside`: every token with l >= logit is; `outside`: every token with l <= logit is.
  side at(float logit) noexcept {
    const double total = masses_.total();
    // What lies below the logit in a part of the row is often enough of a rest.
    const std::span<const kernel::block> all = masses_.blocks(), some = all.first(all.size() / 4);
    const kernel::rough_mass part = masses_.from(logit, some);
    if ((part.visited - part.reached) / rough_spread > (1 - p_) * total * rough_slack) return side::inside;
    const kernel::rough_mass others = masses_.from(logit, all.subspan(some.size()));
    const double reached = part.reached + others.reached;
    if (surely_inside(reached, total, p_)) return side::inside;
    const double above = reached - masses_.ties(part.ties + others.ties, logit);
    return surely_outside(above, total, p_) ? side::outside : side::unknown;
  }

  rough_masses& masses() noexcept { return masses_; }

 private:
  rough_masses masses_;
  double p_;
};

/// Distance from a center first, then rank.
struct by_distance {
  double center = 0;
  double distance(kernel::rank_key key) const noexcept {
    const double d = double(kernel::logit_of(key)) - center;
    return d < 0 ? -d : d;
  }
  bool operator()(kernel::rank_key a, kernel::rank_key b) const noexcept {
    const double da = distance(a), db = distance(b);
    return da < db || (da == db && a > b);
  }
};

/// The float of a kind that lies furthest from the center: with `up`, the largest l >= center within the
/// distance, else the smallest l <= center. Bisection over the ordered floats: many of them may share a
/// distance.
inline float edge(const by_distance& from, double reach, bool up) noexcept {
  const auto key = [](float logit) { return kernel::key_of(logit, 0) >> 32; };
  const auto logit = [](std::uint64_t ordered) { return kernel::logit_of(ordered << 32); };
  std::uint64_t near = key(kernel::saturated(from.center)), far = key(up ? -kernel::lowest : kernel::lowest);
  // The float nearest to the center may lie past the distance, where that is tiny.
  while (near != far) {
    const std::uint64_t middle = up ? near + (far - near + 1) / 2 : near - (near - far + 1) / 2;
    if (from.distance(middle << 32) <= reach) {
      near = middle;
    } else {
      far = up ? middle - 1 : middle + 1;
    }
  }
  return logit(near);
}

/// The last key, in the order `before`, of the shortest prefix with mass >= p * M that has min_keep tokens.
template <class Before>
inline kernel::rank_key row::cut_by_mass(Before before, float p, int min_keep) noexcept {
  const std::uint64_t need = kernel::needed_mass(p, total_mass());
  const std::span<rank_key> all = keys(kernel::lowest);
  const rank_key last = cut(all, need, before, mass_under{double(max())});
  if (min_keep <= 1) return last;
  const rank_key least = cut(all, std::uint64_t(min_keep), before, [](rank_key) { return std::uint64_t{1}; });
  return before(last, least) ? least : last;
}

inline bool row::cuts_plainly(float p) const noexcept {
  return engine_ == truncation_engine::sort || !dense_ || vocab_ < 4 * long_row || p >= 1;
}

/// Rough masses decide on which side of the cut a logit lies, until they cannot; exact ones decide between.
SLUICE_BODY kernel::rank_key row::mass_cut(float p, int min_keep) noexcept {
  if (cuts_plainly(p)) return cut_by_mass(by_rank{}, p, min_keep);
  nucleus_bounds bounds(*this, p);
  float inside = max(), outside = std::max(float(double(inside) - 2 * kernel::mass_reach), floor_);
  for (int round = 0; round < 24; ++round) {
    const float middle = float(0.5 * double(inside) + 0.5 * double(outside));
    if (!(middle < inside && middle > outside)) break;
    const side found = bounds.at(middle);
    if (found == side::unknown) break;
    (found == side::inside ? inside : outside) = middle;
  }
  const std::uint64_t need = kernel::needed_mass(p, total_mass());
  const std::uint64_t sure = kernels_.mass(blocks_, block_count_, inside, double(max())).total;
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  // Where even the maximum was not settled, the cut may lie among the tokens that tie with it.
  const bool among_best = sure >= need;
  const std::span<rank_key> open(
      out, kernels_.collect(blocks_, block_count_, outside, among_best ? kernel::infinite(1) : inside, out));
  const rank_key last =
      open.empty() ? kernel::key_of(inside, 0) >> 32 << 32
                   : cut(open, among_best ? need : need - sure, by_rank{}, mass_under{double(max())});
  return min_keep <= 1 ? last : std::min(last, top_cut(std::min(std::size_t(min_keep), size())));
}

SLUICE_BODY void row::keep_nearest(double center, float p, int min_keep) noexcept {
  reference();
  if (empty()) return;
  const by_distance before{center};
  if (cuts_plainly(p) || min_keep > 1) {
    const rank_key last = cut_by_mass(before, p, min_keep);
    return keep_within(before, last);
  }
  double inside = 0, outside = 2 * kernel::mass_reach + (center < double(max()) ? double(max()) - center : 0);
  rough_masses masses(*this);
  for (int round = 0; round < 16; ++round) {
    const double middle = 0.5 * (inside + outside), whole = masses.total(), noise = 1e-4 * whole;
    const double window = masses.from(kernel::saturated(center - middle)).reached -
                          masses.from(kernel::next_up(kernel::saturated(center + middle))).reached;
    if (surely_inside(window + noise, whole, double(p))) {
      inside = middle;
    } else if (surely_outside(window - noise, whole, double(p))) {
      outside = middle;
    } else {
      break;
    }
  }
  // All within `inside` stay, if there is a float; those up to `outside` are put in order.
  const auto total = [this](float least) {
    return kernels_.mass(blocks_, block_count_, std::max(least, floor_), double(max())).total;
  };
  const std::uint64_t need = kernel::needed_mass(p, total_mass());
  const float low = edge(before, inside, false), high = edge(before, inside, true);
  const float past = kernel::next_up(high);
  const bool some =
      before.distance(kernel::key_of(low, 0)) <= inside && before.distance(kernel::key_of(high, 0)) <= inside;
  const std::uint64_t sure = some ? total(low) - total(past) : 0;
  if (sure >= need) return keep_within(before, cut_by_mass(before, p, min_keep));
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  const float lowest_open = std::max(edge(before, outside, false), floor_);
  std::size_t count;
  if (some) {
    count = kernels_.collect(blocks_, block_count_, lowest_open, low, out);
    count += kernels_.collect(blocks_, block_count_, std::max(past, floor_),
                              kernel::next_up(edge(before, outside, true)), out + count);
  } else {
    count = kernels_.collect(blocks_, block_count_, lowest_open, kernel::next_up(edge(before, outside, true)),
                             out);
  }
  if (count == 0) return keep_within(before, cut_by_mass(before, p, min_keep));
  const rank_key last = cut({out, count}, need - sure, before, mass_under{double(max())});
  keep_within(before, last);
}

/// Keeps what stands at or before `last` in the order of distance.
SLUICE_BODY void row::keep_within(const by_distance& before, rank_key last) noexcept {
  const auto keep = [&](token_id id, float logit) { return !before(last, kernel::key_of(logit, id)); };
  if (!dense_) return compact(kernel::lowest, keep);
  const double reach = before.distance(last);
  floor_ = std::max(floor_, edge(before, reach, false));
  size_known_ = false;
  forget_sums();
  // What lies nearer than the last one stays. Above the center, and among those that tie with it, each is
  // looked at: several floats may share a distance.
  const double nearer = reach > 0 ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(reach) - 1) : -1;
  const auto drop = [&](float least, float below) {
    auto* const out = reinterpret_cast<rank_key*>(scratch_);
    const std::size_t count = kernels_.collect(blocks_, block_count_, std::max(least, floor_), below, out);
    for (std::size_t i = 0; i < count; ++i)
      if (!keep(kernel::id_of(out[i]), kernel::logit_of(out[i]))) remove(kernel::id_of(out[i]));
  };
  const float low = edge(before, nearer, false), high = edge(before, nearer, true);
  drop(before.distance(kernel::key_of(high, 0)) <= nearer ? kernel::next_up(high) : high,
       kernel::infinite(1));
  drop(floor_, before.distance(kernel::key_of(low, 0)) <= nearer ? low : kernel::next_up(low));
}

SLUICE_STRICT_END

}  // namespace sluice::v1::SLUICE_ISA
