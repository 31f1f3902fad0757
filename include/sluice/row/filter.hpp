#pragma once

// How tokens are removed: a prefix of the ranking by a cut key, any other set by a predicate.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <sluice/row/class.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

struct by_rank {
  bool operator()(kernel::rank_key a, kernel::rank_key b) const noexcept { return a > b; }
};

SLUICE_IEEE_BEGIN

/// The masses of keys' tokens under a given maximum: of one, and the sum of many.
class mass_under {
 public:
  mass_under(const kernel::table& kernels, double max) noexcept : kernels_(kernels), max_(max) {}
  std::uint64_t operator()(kernel::rank_key key) const noexcept {
    return kernel::mass(double(kernel::logit_of(key)) - max_);
  }
  std::uint64_t operator()(std::span<const kernel::rank_key> keys) const noexcept {
    float logits[detail::block_size];
    std::uint64_t total = 0;
    for (std::size_t first = 0; first < keys.size(); first += detail::block_size) {
      const kernel::block part{.logits = logits,
                               .count = std::uint32_t(std::min(detail::block_size, keys.size() - first)),
                               .max = float(max_)};
      for (std::size_t i = 0; i < part.count; ++i) logits[i] = kernel::logit_of(keys[first + i]);
      total += kernels_.mass(&part, 1, kernel::infinite(-1), max_).total;
    }
    return total;
  }

 private:
  const kernel::table& kernels_;
  double max_;
};

/// Keys of the survivors with l >= least, in the order of ids, in the scratch memory.
SLUICE_NEVER_INLINE std::span<kernel::rank_key> row::keys(float least) const noexcept {
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  least = std::max(least, floor_);
  return {out, kernels_.collect(opened(least), block_count_, least, kernel::infinite(1), out)};
}

/// Keys in the scratch memory become candidates in rank order, in place: from the last to the first, a
/// candidate of 12 bytes covers only keys of 8 bytes that are converted already.
SLUICE_NEVER_INLINE std::span<candidate> row::ranked(std::span<rank_key> keys) const noexcept {
  std::sort(keys.begin(), keys.end(), by_rank{});
  for (std::size_t i = keys.size(); i-- > 0;) {
    rank_key key;
    std::memcpy(&key, scratch_ + i * sizeof key, sizeof key);
    const candidate c{.id = kernel::id_of(key), .logit = kernel::logit_of(key)};
    std::memcpy(scratch_ + i * sizeof c, &c, sizeof c);
  }
  return {reinterpret_cast<candidate*>(scratch_), keys.size()};
}

template <class Before>
inline kernel::rank_key row::cut(std::span<rank_key> keys, std::uint64_t need, Before before) noexcept {
  const mass_under mass(kernels_, double(max()));
  return engine_ == truncation_engine::sort ? truncate::sort{}(keys, need, before, mass)
                                            : truncate::select{}(keys, need, before, mass);
}

/// A logit that at least k survivors reach, k <= size, and not many more: bisection over the maxima of
/// blocks, or over the row where k is larger than their number. Ties may make it many.
SLUICE_NEVER_INLINE float row::top_threshold(std::size_t k) const noexcept {
  auto* const maxima = reinterpret_cast<float*>(scratch_ + vocab_ * 8);  // keys are shorter than that
  std::size_t present = 0;
  float low = kernel::infinite(1), high = kernel::infinite(-1);
  for (const kernel::block& block : blocks()) {
    if (!(block.max >= floor_)) continue;
    maxima[present++] = block.max;
    low = std::min(low, block.max);
    high = std::max(high, block.max);
  }
  const bool by_blocks = k <= present;
  const auto count = [&](float least) {
    return by_blocks ? kernels_.count_at_least(maxima, present, least)
                     : kernels_.count(opened(least), block_count_, least);
  };
  if (count(high) >= k) return high;
  if (!by_blocks) {
    // Step down until there are enough.
    double step = 1;
    for (low = high; count(low) < k; step *= 2) {
      high = low;
      low = std::max(float(double(low) - step), floor_);
    }
  }
  const std::size_t enough = k + k / 4 + 8;
  for (int round = 0; round < 40; ++round) {
    const float middle = float(0.5 * double(low) + 0.5 * double(high));
    if (!(middle > low && middle < high)) break;
    const std::size_t reached = count(middle);
    (reached >= k ? low : high) = middle;
    if (reached >= k && reached <= enough) break;
  }
  return low;
}

/// A list up to this length is looked at whole.
inline constexpr std::size_t few_tokens = 1024;

/// The keys of the first k survivors in rank, k <= size, in no order, in the scratch memory.
SLUICE_NEVER_INLINE std::span<kernel::rank_key> row::top_keys(std::size_t k) noexcept {
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  if (engine_ == truncation_engine::sort) {
    const std::span<rank_key> all = keys(kernel::lowest);
    std::sort(all.begin(), all.end(), by_rank{});
    return all.first(k);
  }
  if (!dense_ && size() <= few_tokens) {
    const std::span<rank_key> all = keys(kernel::lowest);
    if (k < all.size())
      std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(k - 1), all.end(), by_rank{});
    return all.first(k);
  }
  // Blocks in rank of their best, so that the threshold rises at once where many tokens pass it.
  float least = top_threshold(k);
  auto* const doors = reinterpret_cast<rank_key*>(scratch_ + vocab_ * 8);
  std::size_t open = 0;
  for (std::size_t b = 0; b < block_count_; ++b)
    if (blocks_[b].max >= least) doors[open++] = kernel::key_of(blocks_[b].max, token_id(b));
  std::sort(doors, doors + open, by_rank{});
  std::size_t count = 0;
  rank_key worst = 0;  // k tokens rank at or above it
  for (std::size_t d = 0; d < open; ++d) {
    const kernel::block& block = blocks_[kernel::id_of(doors[d])];
    if (worst != 0 && kernel::key_of(block.max, block.id(0)) < worst) continue;
    const std::size_t more = kernels_.collect(&opened(block), 1, least, kernel::infinite(1), out + count);
    count += more;
    if (count < 2 * k + detail::block_size) continue;
    std::nth_element(out, out + (k - 1), out + count, by_rank{});
    count = k;
    worst = out[k - 1];
    least = std::max(least, kernel::logit_of(worst));
  }
  if (count > k) std::nth_element(out, out + (k - 1), out + count, by_rank{});
  return {out, k};
}

inline kernel::rank_key row::top_cut(std::size_t k) noexcept {
  const std::span<rank_key> first = top_keys(k);
  return *std::min_element(first.begin(), first.end());
}

SLUICE_NEVER_INLINE kernel::rank_key row::threshold_cut(double threshold, int min_keep) noexcept {
  if (!(threshold > double(kernel::lowest))) return 0;
  float least = max();
  if (threshold < double(least)) {
    least = float(threshold);
    if (double(least) < threshold) least = kernel::next_up(least);
  }
  const rank_key last = kernel::key_of(least, 0) >> 32 << 32;  // every id ranks before it
  if (min_keep <= 1) return last;
  return std::min(last, top_cut(std::min(std::size_t(min_keep), size())));
}

/// Survivors with l >= least as a list, those that `keep` holds on to. Keys come in the order of ids, and
/// what is written never overtakes what is read.
template <class Keep>
inline void row::compact(float least, Keep&& keep) noexcept {
  std::size_t count = 0;
  for (const rank_key key : keys(least)) {
    const token_id id = kernel::id_of(key);
    const float logit = kernel::logit_of(key);
    if (!keep(id, logit)) continue;
    ids_[count] = id;
    logits_[count++] = logit;
  }
  list(count);
}

/// -inf in place of the survivors that `keep` lets go.
template <class Keep>
inline void row::erase(Keep&& keep) noexcept {
  for (std::size_t b = 0; b < block_count_; ++b) {
    kernel::block& block = blocks_[b];
    if (!(block.max >= floor_)) continue;
    opened(block);
    float* copy = nullptr;
    for (std::uint32_t i = 0; i < block.count; ++i) {
      if (!(block.logits[i] >= floor_) || keep(block.id(i), block.logits[i])) continue;
      if (copy == nullptr) copy = writable(block);
      copy[i] = kernel::infinite(-1);
    }
    if (copy != nullptr) block.max = kernel::max_of(copy, block.count, floor_);
  }
  whole_ = size_known_ = false;
  forget_sums();
}

/// The same for those with least <= l < below: few one by one, many in a walk over all.
template <class Keep>
inline void row::drop(float least, float below, Keep&& keep) noexcept {
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  least = std::max(least, floor_);
  const std::size_t count = kernels_.collect(opened(least), block_count_, least, below, out);
  if (count > 4 * block_count_) return erase(keep);
  for (std::size_t i = 0; i < count; ++i)
    if (!keep(kernel::id_of(out[i]), kernel::logit_of(out[i]))) remove(kernel::id_of(out[i]));
}

/// The survivors are these tokens; the keys stand in the scratch memory.
SLUICE_NEVER_INLINE void row::adopt(std::span<rank_key> keys) noexcept {
  std::sort(keys.begin(), keys.end(),
            [](rank_key a, rank_key b) { return std::uint32_t(a) > std::uint32_t(b); });  // ids are inverted
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ids_[i] = kernel::id_of(keys[i]);
    logits_[i] = kernel::logit_of(keys[i]);
  }
  list(keys.size());
}

/// Few survivors become a list, many stay where they lie, under a higher floor.
SLUICE_NEVER_INLINE void row::keep_from(rank_key last) noexcept {
  reference();
  if (last == 0) return;
  const float least = std::max(kernel::logit_of(last), floor_);
  const auto keep = [last](token_id id, float logit) { return kernel::key_of(logit, id) >= last; };
  std::size_t open = 0;
  for (const kernel::block& block : blocks()) open += block.max >= least;
  if (!dense_ || open <= block_count_ / 8) {
    compact(least, keep);
    return;
  }
  floor_ = least;
  size_known_ = total_known_ = weighted_known_ = false;
  if (std::uint32_t(last) != 0) drop(least, kernel::next_up(least), keep);  // ties that rank after the cut
}

inline void row::keep_at_least(double threshold, int min_keep) noexcept {
  reference();
  keep_from(threshold_cut(threshold, min_keep));
}

inline void row::keep_top(std::int64_t k) noexcept {
  reference();
  if (k <= 0) return;
  std::size_t present =
      0;  // every block that reaches the floor holds a survivor: the row need not be counted
  for (const kernel::block& block : blocks()) present += block.max >= floor_;
  if (std::uint64_t(k) >= present && std::uint64_t(k) >= size()) return;
  if (std::size_t(k) > vocab_ / 16) return keep_from(top_cut(std::size_t(k)));
  adopt(top_keys(std::size_t(k)));
}

inline void row::keep_mass(float p, int min_keep) noexcept {
  reference();
  if (!empty()) keep_from(mass_cut(kernel::fraction(p), min_keep));
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
