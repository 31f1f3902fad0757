#pragma once

// The cut by mass in the order of the distance from a center, which typical-p makes: a bracket of the
// distance by approximate masses, then the exact masses of what lies between.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/cut/by_mass.hpp>
#include <sluice/kernel/arithmetic/floats.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::cut {

SLUICE_IEEE_BEGIN

/// Distance from a center first, then rank.
struct before_by_distance {
  double center = 0;
  double distance(kernel::rank_key key) const noexcept {
    const double d = double(kernel::logit_of(key)) - center;
    return d < 0 ? -d : d;
  }
  bool operator()(kernel::rank_key a, kernel::rank_key b) const noexcept {
    const double da = distance(a), db = distance(b);
    return da < db || (da == db && a > b);
  }
  // Calls, as those of before_by_rank (row/sort.hpp).
  SLUICE_NEVER_INLINE void sort(std::span<kernel::rank_key> keys) const noexcept {
    std::sort(keys.data(), keys.data() + keys.size(), *this);
  }
  SLUICE_NEVER_INLINE void first(std::span<kernel::rank_key> keys, std::size_t count) const noexcept {
    std::nth_element(keys.data(), keys.data() + (count - 1), keys.data() + keys.size(), *this);
  }
};

/// The float of a kind that lies furthest from the center: with `up`, the largest l >= center within the
/// distance, else the smallest l <= center. Bisection over the ordered floats: many of them may share a
/// distance.
SLUICE_NEVER_INLINE float edge(const before_by_distance& from, double reach, bool up) noexcept {
  const auto key = [](float logit) { return kernel::key_of(logit, 0) >> 32; };
  const auto logit = [](std::uint64_t ordered) { return kernel::logit_of(ordered << 32); };
  std::uint64_t within = key(kernel::saturated(from.center)),
                past = key(up ? -kernel::lowest : kernel::lowest);
  // The float nearest to the center may lie past the distance, where that is tiny.
  while (within != past) {
    const std::uint64_t middle = up ? within + (past - within + 1) / 2 : within - (within - past + 1) / 2;
    if (from.distance(middle << 32) <= reach) {
      within = middle;
    } else {
      past = up ? middle - 1 : middle + 1;
    }
  }
  return logit(within);
}

/// The approximate masses of windows about a center.
class approximate_windows {
 public:
  approximate_windows(const approximate_masses& masses, double center,
                      std::span<const kernel::block> blocks) noexcept
      : masses_(masses),
        center_(center),
        blocks_(blocks),
        total_(masses.from(kernel::infinite(-1), blocks).reached) {}

  double total() const noexcept { return total_; }
  /// The floats at both ends are those that lie within the distance, not the nearest to it.
  double within(double distance) const noexcept {
    const before_by_distance from{center_};
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
  const approximate_masses& masses_;
  double center_;
  std::span<const kernel::block> blocks_;
  double total_;
};

/// All within `inside` belong to the nucleus of mass p; what lies further than `outside` does not.
struct distance_bracket {
  double inside, outside;

  /// Whether a distance could be settled.
  bool narrow(const approximate_windows& all, double p, double distance) noexcept {
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

/// One block of `stride`, in the scratch memory.
inline std::span<const kernel::block> every_nth_block(const row_blocks& blocks, std::size_t stride) noexcept {
  auto* const out = blocks.scratch().take<kernel::block>(blocks.block_count() / stride + 1);
  std::size_t count = 0;
  for (std::size_t b = 0; b < blocks.block_count(); b += stride) out[count++] = blocks.table()[b];
  return {out, count};
}

/// The mass of low <= l < past; or of the others, where they are few.
inline std::uint64_t mass_between(row& r, float low, float past) noexcept {
  const row_blocks& blocks = detail::row_internals::blocks(r);
  const kernel::table& kernels = blocks.kernels();
  const std::size_t count = blocks.block_count();
  low = std::max(low, blocks.threshold());
  if (kernels.count(blocks.widened(low), count, low) < r.size() - r.size() / 4) {
    return kernels.mass(blocks.widened(low), count, low, double(r.max())).total -
           kernels.mass(blocks.widened(past), count, past, double(r.max())).total;
  }
  auto* const out = blocks.scratch().take<kernel::rank_key>(r.vocab_size());
  const kernel::block* const table = blocks.widened(blocks.threshold());
  std::size_t others = kernels.collect(table, count, blocks.threshold(), low, out);
  others +=
      kernels.collect(table, count, std::max(past, blocks.threshold()), kernel::infinite(1), out + others);
  return r.total_mass() -
         mass_under(kernels, double(r.max()))(std::span<const kernel::rank_key>(out, others));
}

/// The last key of the nucleus about the center, in a row that is not empty.
SLUICE_NEVER_INLINE kernel::rank_key last_about(row& r, const before_by_distance& before, float p,
                                                int min_keep) noexcept {
  const auto all_of_it = [&] { return cut_all(r, before, p, min_keep); };
  if (cuts_all(r, p) || min_keep > 1) return all_of_it();
  const row_blocks& blocks = detail::row_internals::blocks(r);
  const double reach = 2 * kernel::mass_reach + before.distance(kernel::key_of(r.max(), 0));
  distance_bracket bracket{0, reach};
  const approximate_masses masses(r);
  const approximate_windows all(masses, before.center, blocks.table());
  constexpr std::size_t stride = 16;
  bool sampled = false;
  if (const approximate_windows some(masses, before.center, every_nth_block(blocks, stride));
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
  const std::uint64_t need = kernel::needed_mass(p, r.total_mass());
  const float low = edge(before, inside, false), high = edge(before, inside, true);
  const float past = kernel::next_up(high), end = kernel::next_up(edge(before, outside, true));
  const bool any =
      before.distance(kernel::key_of(low, 0)) <= inside && before.distance(kernel::key_of(high, 0)) <= inside;
  const std::uint64_t sure = any ? mass_between(r, low, past) : 0;
  if (sure >= need) return all_of_it();
  auto* const out = blocks.scratch().take<kernel::rank_key>(r.vocab_size());
  const float begin = std::max(edge(before, outside, false), blocks.threshold());
  const kernel::table& kernels = blocks.kernels();
  std::size_t count =
      kernels.collect(blocks.widened(begin), blocks.block_count(), begin, any ? low : end, out);
  if (any) {
    const float above = std::max(past, blocks.threshold());
    count += kernels.collect(blocks.widened(above), blocks.block_count(), above, end, out + count);
  }
  if (count == 0) return all_of_it();
  return cut_keys(r, {out, count}, need - sure, before);
}

/// Keeps what stands at or before `last` in the order of distance.
SLUICE_NEVER_INLINE void keep_about(row& r, const before_by_distance& before,
                                    kernel::rank_key last) noexcept {
  row_blocks& blocks = detail::row_internals::blocks(r);
  const auto keep = [&](token_id id, float logit) { return !before(last, kernel::key_of(logit, id)); };
  if (blocks.is_list()) return blocks.list_kept(kernel::lowest, keep);
  const double reach = before.distance(last);
  blocks.raise_threshold(std::max(blocks.threshold(), edge(before, reach, false)));
  // What lies nearer than the last one stays. Above the center, and among those that tie with it, each is
  // looked at: several floats may share a distance.
  const double nearer = reach > 0 ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(reach) - 1) : -1;
  const float low = edge(before, nearer, false), high = edge(before, nearer, true);
  const bool high_stays = before.distance(kernel::key_of(high, 0)) <= nearer;
  const bool low_stays = before.distance(kernel::key_of(low, 0)) <= nearer;
  blocks.remove_between(high_stays ? kernel::next_up(high) : high, kernel::infinite(1), keep);
  blocks.remove_between(blocks.threshold(), low_stays ? low : kernel::next_up(low), keep);
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::cut

namespace sluice::inline v1::inline SLUICE_ISA {

inline void row::keep_nearest(double center, float p, int min_keep) noexcept {
  reference();
  if (empty()) return;
  const cut::before_by_distance before{center};
  cut::keep_about(*this, before, cut::last_about(*this, before, kernel::fraction(p), min_keep));
}

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
