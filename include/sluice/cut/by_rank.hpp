#pragma once

// Cuts by rank: the first k, and all above a logit. A cut is told by the rank key of the last token that
// stays.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/row/statistics.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::cut {

SLUICE_IEEE_BEGIN

/// A list up to this length is looked at whole.
inline constexpr std::size_t few_tokens = 1024;

/// The key that every token with a logit has at least.
inline kernel::rank_key last_with(float logit) noexcept { return kernel::key_of(logit, 0) >> 32 << 32; }

/// Keys of the survivors with l >= least, in the order of ids, in the scratch memory.
SLUICE_NEVER_INLINE std::span<kernel::rank_key> keys_in(row_blocks& blocks, float least) noexcept {
  auto* const out = blocks.scratch().take<kernel::rank_key>(blocks.vocab_size());
  least = std::max(least, blocks.threshold());
  return {out, blocks.kernels().collect(blocks.widened(least), blocks.block_count(), least,
                                        kernel::infinite(1), out)};
}

/// A logit that at least k survivors reach, k <= size, and not many more: bisection over the maxima of
/// blocks, or over the row where k is larger than their number. Ties may make it many. `maxima` has room for
/// one a block.
SLUICE_NEVER_INLINE float reached_by(row_blocks& blocks, std::size_t k, float* maxima) noexcept {
  std::size_t present = 0;
  float low = kernel::infinite(1), high = kernel::infinite(-1);
  for (const kernel::block& block : blocks.table()) {
    if (!(block.max >= blocks.threshold())) continue;
    maxima[present++] = block.max;
    low = std::min(low, block.max);
    high = std::max(high, block.max);
  }
  const bool by_blocks = k <= present;
  const auto count = [&](float least) {
    return by_blocks ? blocks.kernels().count_at_least(maxima, present, least)
                     : blocks.kernels().count(blocks.widened(least), blocks.block_count(), least);
  };
  if (count(high) >= k) return high;
  if (!by_blocks) {
    // Step down until there are enough.
    double step = 1;
    for (low = high; count(low) < k; step *= 2) {
      high = low;
      low = std::max(float(double(low) - step), blocks.threshold());
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

/// The keys of the first k survivors in rank, 0 < k <= size, in no order, in the scratch memory.
SLUICE_NEVER_INLINE std::span<kernel::rank_key> first_keys(row& r, std::size_t k) noexcept {
  row_blocks& blocks = detail::row_internals::blocks(r);
  if (detail::row_internals::engine(r) == truncation_engine::sort) {
    const std::span<kernel::rank_key> all = keys_in(blocks, kernel::lowest);
    sort_by_rank(all);
    return all.first(k);
  }
  if (blocks.is_list() && r.size() <= few_tokens) {
    const std::span<kernel::rank_key> all = keys_in(blocks, kernel::lowest);
    if (k < all.size()) first_by_rank(all, k);
    return all.first(k);
  }
  // Blocks in rank of their best, so that the threshold rises at once where many tokens pass it.
  sluice::scratch scratch = blocks.scratch();
  auto* const out = scratch.take<kernel::rank_key>(blocks.vocab_size());
  const sluice::scratch behind = scratch;
  float least = reached_by(blocks, k, scratch.take<float>(blocks.block_count()));
  scratch = behind;
  auto* const best =
      scratch.take<kernel::rank_key>(blocks.block_count());  // of a block, its number as the id
  std::size_t reaching = 0;
  for (const kernel::block& block : blocks.table())
    if (block.max >= least)
      best[reaching++] = kernel::key_of(block.max, token_id(&block - blocks.table().data()));
  sort_by_rank({best, reaching});
  std::size_t count = 0;
  kernel::rank_key worst = 0;  // k tokens rank at or above it
  for (std::size_t i = 0; i < reaching; ++i) {
    const kernel::block& block = blocks.table()[std::size_t(kernel::id_of(best[i]))];
    if (worst != 0 && kernel::key_of(block.max, block.id(0)) < worst) continue;
    count += blocks.kernels().collect(&blocks.widened(block), 1, least, kernel::infinite(1), out + count);
    if (count < 2 * k + detail::block_size) continue;
    first_by_rank({out, count}, k);
    count = k;
    worst = out[k - 1];
    least = std::max(least, kernel::logit_of(worst));
  }
  if (count > k) first_by_rank({out, count}, k);
  return {out, k};
}

/// The last of the first k, 0 < k <= size.
inline kernel::rank_key last_of_first(row& r, std::size_t k) noexcept {
  const std::span<kernel::rank_key> first = first_keys(r, k);
  return *std::min_element(first.begin(), first.end());
}

/// The last of those that `min_keep` holds on to, in a row that is not empty.
inline kernel::rank_key last_kept(row& r, int min_keep) noexcept {
  return last_of_first(r, std::min(std::size_t(min_keep), r.size()));
}

/// The last key with l >= threshold; at least that of the best token, and of the first min_keep.
SLUICE_NEVER_INLINE kernel::rank_key last_at_least(row& r, double threshold, int min_keep) noexcept {
  if (!(threshold > double(kernel::lowest))) return 0;
  float least = r.max();
  if (threshold < double(least)) {
    least = float(threshold);
    if (double(least) < threshold) least = kernel::next_up(least);
  }
  const kernel::rank_key last = last_with(least);
  return min_keep <= 1 ? last : std::min(last, last_kept(r, min_keep));
}

/// Keeps the tokens at or above a key. Few survivors become a list, many stay where they lie, above a higher
/// threshold.
SLUICE_NEVER_INLINE void keep_from(row& r, kernel::rank_key last) noexcept {
  r.reference();
  if (last == 0) return;
  row_blocks& blocks = detail::row_internals::blocks(r);
  const float least = std::max(kernel::logit_of(last), blocks.threshold());
  const auto keep = [last](token_id id, float logit) { return kernel::key_of(logit, id) >= last; };
  if (blocks.is_list() || blocks.blocks_reaching(least) <= blocks.block_count() / 8)
    return blocks.list_kept(least, keep);
  blocks.raise_threshold(least);
  // Of those that tie with the last one, some rank after it.
  if (std::uint32_t(last) != 0) blocks.remove_between(least, kernel::next_up(least), keep);
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::cut

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

inline void row::keep_at_least(double threshold, int min_keep) noexcept {
  reference();
  cut::keep_from(*this, cut::last_at_least(*this, threshold, min_keep));
}

inline void row::keep_top(std::int64_t k) noexcept {
  reference();
  if (k <= 0) return;
  // Every block that reaches the threshold holds a survivor: the row need not be counted.
  if (std::uint64_t(k) >= blocks_.blocks_present() && std::uint64_t(k) >= size()) return;
  if (std::size_t(k) > vocab_size() / 16)
    return cut::keep_from(*this, cut::last_of_first(*this, std::size_t(k)));
  blocks_.list_keys(cut::first_keys(*this, std::size_t(k)));
}

SLUICE_NEVER_INLINE std::span<candidate> row::top(std::size_t k) noexcept {
  if (k == 0 || empty()) return {};
  const std::span<kernel::rank_key> keys =
      k >= size() ? cut::keys_in(blocks_, kernel::lowest) : cut::first_keys(*this, k);
  sort_by_rank(keys);
  return scratch::to_candidates(keys);
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
