#pragma once

// The nucleus by distance from a center.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/row/class.hpp>
#include <sluice/row/cut_by_mass.hpp>
#include <sluice/row/filter.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

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

/// The rough masses of windows about a center.
class rough_windows {
 public:
  rough_windows(const rough_masses& masses, double center, std::span<const kernel::block> blocks) noexcept
      : masses_(masses),
        center_(center),
        blocks_(blocks),
        total_(masses.from(kernel::infinite(-1), blocks).reached) {}

  double total() const noexcept { return total_; }
  /// The floats at both ends are those that lie within the distance, not the nearest to it.
  double within(double distance) const noexcept {
    const by_distance from{center_};
    const float low = edge(from, distance, false);
    if (from.distance(kernel::key_of(low, 0)) > distance) return 0;  // no float does
    return masses_.from(low, blocks_).reached -
           masses_.from(kernel::next_up(edge(from, distance, true)), blocks_).reached;
  }
  /// About where a window holds a fraction of the total.
  double distance_of(double fraction, double reach) const noexcept {
    double low = 0, high = reach;
    for (int round = 0; round < 14; ++round) {
      const double middle = 0.5 * (low + high);
      (within(middle) < fraction * total_ ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

 private:
  const rough_masses& masses_;
  double center_;
  std::span<const kernel::block> blocks_;
  double total_;
};

/// All within `inside` belong to the nucleus of mass p; what lies further than `outside` does not.
struct distance_bracket {
  double inside, outside;

  /// Whether a distance could be settled.
  bool narrow(const rough_windows& all, double p, double distance) noexcept {
    if (!(distance > inside && distance < outside)) return true;
    const double window = all.within(distance), noise = 1e-4 * all.total();
    if (surely_inside(window + noise, all.total(), p)) {
      inside = distance;
    } else if (surely_outside(window - noise, all.total(), p)) {
      outside = distance;
    } else {
      return false;
    }
    return true;
  }
};

/// One block of `stride`, copied to the scratch memory.
inline std::span<const kernel::block> row::sample(std::size_t stride) noexcept {
  auto* const out = reinterpret_cast<kernel::block*>(scratch_);
  std::size_t count = 0;
  for (std::size_t b = 0; b < block_count_; b += stride) out[count++] = blocks_[b];
  return {out, count};
}

/// The mass of low <= l < past, or of the others where they are few.
inline std::uint64_t row::mass_between(float low, float past) noexcept {
  low = std::max(low, floor_);
  if (kernels_.count(opened(low), block_count_, low) < size() - size() / 4) {
    return kernels_.mass(opened(low), block_count_, low, double(max())).total -
           kernels_.mass(opened(past), block_count_, past, double(max())).total;
  }
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  std::size_t count = kernels_.collect(opened(floor_), block_count_, floor_, low, out);
  count += kernels_.collect(opened(floor_), block_count_, std::max(past, floor_), kernel::infinite(1),
                            out + count);
  return total_mass() - mass_under(kernels_, double(max()))(std::span<const rank_key>(out, count));
}

/// Rough masses bracket the distance of the cut, a sample of them first; exact ones decide between.
SLUICE_NEVER_INLINE void row::keep_nearest(double center, float p, int min_keep) noexcept {
  reference();
  if (empty()) return;
  p = kernel::fraction(p);
  const by_distance before{center};
  const auto plainly = [&] { keep_within(before, cut_by_mass(before, p, min_keep)); };
  if (cuts_plainly(p) || min_keep > 1) return plainly();
  const double reach = 2 * kernel::mass_reach + before.distance(kernel::key_of(max(), 0));
  distance_bracket bracket{0, reach};
  const rough_masses masses(*this);
  const rough_windows all(masses, center, blocks());
  constexpr std::size_t stride = 16;
  bool sampled = false;
  if (const rough_windows some(masses, center, sample(stride));
      some.total() * double(stride) > 0.8 * all.total() &&
      some.total() * double(stride) < 1.25 * all.total()) {
    const double aside = 0.15 * (1 - double(p));
    for (const double aim : {double(p) - aside, double(p) + aside})
      bracket.narrow(all, double(p), some.distance_of(aim, reach));
    sampled = bracket.inside > 0 && bracket.outside < reach;
  }
  for (int round = 0; round < (sampled ? 4 : 16); ++round)
    if (!bracket.narrow(all, double(p), 0.5 * (bracket.inside + bracket.outside))) break;
  // All within `inside` stay, if there is a float; those up to `outside` are put in order.
  const auto [inside, outside] = bracket;
  const std::uint64_t need = kernel::needed_mass(p, total_mass());
  const float low = edge(before, inside, false), high = edge(before, inside, true);
  const float past = kernel::next_up(high), end = kernel::next_up(edge(before, outside, true));
  const bool some =
      before.distance(kernel::key_of(low, 0)) <= inside && before.distance(kernel::key_of(high, 0)) <= inside;
  const std::uint64_t sure = some ? mass_between(low, past) : 0;
  if (sure >= need) return plainly();
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  const float begin = std::max(edge(before, outside, false), floor_);
  std::size_t count = kernels_.collect(opened(begin), block_count_, begin, some ? low : end, out);
  if (some) count += kernels_.collect(opened(floor_), block_count_, std::max(past, floor_), end, out + count);
  if (count == 0) return plainly();
  keep_within(before, cut({out, count}, need - sure, before));
}

/// Keeps what stands at or before `last` in the order of distance.
SLUICE_NEVER_INLINE void row::keep_within(const by_distance& before, rank_key last) noexcept {
  const auto keep = [&](token_id id, float logit) { return !before(last, kernel::key_of(logit, id)); };
  if (!dense_) return compact(kernel::lowest, keep);
  const double reach = before.distance(last);
  floor_ = std::max(floor_, edge(before, reach, false));
  size_known_ = false;
  forget_sums();
  // What lies nearer than the last one stays. Above the center, and among those that tie with it, each is
  // looked at: several floats may share a distance.
  const double nearer = reach > 0 ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(reach) - 1) : -1;
  const float low = edge(before, nearer, false), high = edge(before, nearer, true);
  drop(before.distance(kernel::key_of(high, 0)) <= nearer ? kernel::next_up(high) : high, kernel::infinite(1),
       keep);
  drop(floor_, before.distance(kernel::key_of(low, 0)) <= nearer ? low : kernel::next_up(low), keep);
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
