#pragma once

// How a row is written: the block of a token is copied first, and its maximum taken once, at the end.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/row/blocks.hpp>
#include <sluice/row/sort.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// Where a list has the block of a number, 1 more than its place in the table.
SLUICE_NEVER_INLINE void row_blocks::number_blocks() noexcept {
  std::fill_n(places_, blocks_of_vocabulary(), 0u);
  for (std::size_t b = 0; b < block_count_; ++b)
    places_[std::size_t(blocks_[b].first) / detail::block_size] = std::uint32_t(b + 1);
  numbered_ = true;
}

/// The block and place of a token of a list.
SLUICE_NEVER_INLINE bool row_blocks::find_in_list(token_id token, kernel::block*& block,
                                                  std::uint32_t& index) noexcept {
  if (!numbered_) number_blocks();
  const std::uint32_t place = places_[std::size_t(token) / detail::block_size];
  if (place == 0) return false;
  block = blocks_ + (place - 1);
  const token_id* const end = block->ids + block->count;
  const token_id* const at = std::lower_bound(block->ids, end, token);
  if (at == end || *at != token) return false;
  index = std::uint32_t(at - block->ids);
  return true;
}

/// The block and place of a token that is present. In dense rows merged into the loops over edits.
[[gnu::always_inline]] inline bool row_blocks::find(token_id token, kernel::block*& block,
                                                    std::uint32_t& index) noexcept {
  if (token < 0 || std::size_t(token) >= vocab_) return false;
  if (dense_) {
    block = blocks_ + std::size_t(token) / detail::block_size;
    if (block->logits == nullptr) widen(*block);
    index = std::uint32_t(token - block->first);
  } else if (!find_in_list(token, block, index)) {
    return false;
  }
  return block->max >= threshold_ && block->logits[index] >= threshold_;
}

/// Copy on write: the caller's logits are never changed.
inline float* row_blocks::writable(kernel::block& block) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(widened(block).logits);
  const auto begin = reinterpret_cast<std::uintptr_t>(logits_);
  if (at >= begin && at < begin + cells_ * sizeof(float)) return logits_ + (at - begin) / sizeof(float);
  std::memcpy(logits_ + block.first, block.logits, block.count * sizeof(float));
  block.logits = logits_ + block.first;
  return logits_ + block.first;
}

/// A token below the threshold may be the best of a block; such a block counts as empty.
inline void row_blocks::take_max(kernel::block& block) noexcept {
  kernel::block indexed;
  kernels_.index(block.logits, block.count, &indexed);
  block.max = indexed.max;
}

/// Blocks that lost their best token wait for their maximum; meanwhile it is too high, which hides no token.
class row_blocks::editor {
 public:
  explicit editor(row_blocks& blocks) noexcept : row_(blocks) {}
  editor(const editor&) = delete;
  editor& operator=(const editor&) = delete;
  ~editor() {
    take_maxima();
    row_.max_known_ = false;
    ++row_.changes_;
  }

  /// l = f(double(l)), rounded once and saturated; a token that is absent or outside the row is passed over,
  /// and one for which f gives NaN stays as it is.
  template <class F>
  void edit(token_id token, F&& f) noexcept {
    kernel::block* block = nullptr;
    std::uint32_t index = 0;
    if (!row_.find(token, block, index)) return;
    const double logit = f(double(block->logits[index]));
    if (!kernel::is_nan(logit)) write(*block, index, kernel::saturated(logit));
  }

  /// Biases may be infinite: -inf removes the token, +inf stays +inf.
  void bias(token_id token, const float& bias) noexcept {
    kernel::block* block = nullptr;
    std::uint32_t index = 0;
    if (bias == 0 || !row_.find(token, block, index)) return;
    const float logit = block->logits[index];
    if (kernel::is_infinite(bias) || kernel::is_infinite(logit)) {
      if (row_.size_known_ && bias < 0 && kernel::is_infinite(bias)) --row_.size_;
      write(*block, index, kernel::joined_bias(logit, bias));
    } else {
      write(*block, index, kernel::saturated(double(logit) + double(bias)));
    }
  }

  void remove(token_id token) noexcept {
    kernel::block* block = nullptr;
    std::uint32_t index = 0;
    if (!row_.find(token, block, index)) return;
    write(*block, index, kernel::infinite(-1));
    if (row_.size_known_) --row_.size_;
  }

  /// The logits of a token that is edited soon.
  void fetch(token_id token) const noexcept {
    if (!row_.dense_ || row_.narrow_ != nullptr || token < 0 || std::size_t(token) >= row_.vocab_) return;
    const kernel::block& block = row_.blocks_[std::size_t(token) / detail::block_size];
    __builtin_prefetch(block.logits + (token - block.first));
  }

 private:
  [[gnu::always_inline]] void write(kernel::block& block, std::uint32_t index, const float& logit) noexcept {
    float* const logits = row_.writable(block);
    const float old = std::exchange(logits[index], logit);
    if (logit >= block.max) {
      block.max = logit;
    } else if (!(old < block.max)) {
      owe(block);
    }
    if (kernel::is_infinite(logit)) row_.complete_ = false;
  }

  [[gnu::noinline]] void owe(kernel::block& block) noexcept {
    if (std::find(owed_.begin(), owed_.begin() + count_, &block) != owed_.begin() + count_) return;
    if (count_ == std::ptrdiff_t(owed_.size())) take_maxima();
    owed_[std::size_t(count_++)] = &block;
  }

  void take_maxima() noexcept {
    for (; count_ > 0; --count_) row_.take_max(*owed_[std::size_t(count_ - 1)]);
  }

  row_blocks& row_;
  std::array<kernel::block*, 32> owed_;
  std::ptrdiff_t count_ = 0;
};

inline void row_blocks::materialize_threshold() noexcept {
  if (!(threshold_ > kernel::lowest)) return;
  for (std::size_t b = 0; b < block_count_; ++b) {
    kernel::block& block = blocks_[b];
    if (!(block.max >= threshold_)) {
      block.max = kernel::infinite(-1);
      continue;
    }
    widened(block);
    float* copy = nullptr;
    for (std::uint32_t i = 0; i < block.count; ++i) {
      if (block.logits[i] >= threshold_) continue;
      if (copy == nullptr) copy = writable(block);
      copy[i] = kernel::infinite(-1);
    }
  }
  threshold_ = kernel::lowest;
  complete_ = false;
}

template <class F>
inline void row_blocks::edit_all(F&& f) noexcept {
  materialize_threshold();
  widened(threshold_);
  for (std::size_t b = 0; b < block_count_; ++b) {
    kernel::block& block = blocks_[b];
    if (!(block.max >= threshold_)) continue;
    float* const logits = writable(block);
    for (std::uint32_t i = 0; i < block.count; ++i)
      if (logits[i] >= threshold_) logits[i] = kernel::saturated(f(double(logits[i])));
    block.max = kernel::max_of(logits, block.count, threshold_);
  }
  max_known_ = false;
  ++changes_;
}

template <class Keep>
inline void row_blocks::remove_between(float least, float below, Keep&& keep) noexcept {
  least = std::max(least, threshold_);
  auto* const keys = scratch().take<kernel::rank_key>(vocab_);
  const std::size_t count = kernels_.collect(widened(least), block_count_, least, below, keys);
  std::size_t removed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    keys[removed] = keys[i];
    removed += !keep(kernel::id_of(keys[i]), kernel::logit_of(keys[i]));
  }
  if (removed > 0) remove_keys({keys, removed});
}

/// Keys come in the order of ids: each block is copied once, and its maximum taken once where it lost it.
SLUICE_NEVER_INLINE void row_blocks::remove_keys(std::span<const kernel::rank_key> keys) noexcept {
  std::size_t b = 0;
  for (std::size_t i = 0; i < keys.size();) {
    const token_id number = kernel::id_of(keys[i]) / token_id(detail::block_size);
    if (dense_) {
      b = std::size_t(number);
    } else {
      while (blocks_[b].first / token_id(detail::block_size) != number) ++b;
    }
    kernel::block& block = blocks_[b];
    float* const copy = writable(block);
    bool lost_best = false;
    const token_id* id_at = block.ids;
    for (; i < keys.size(); ++i) {
      const token_id id = kernel::id_of(keys[i]);
      if (id - block.first >= token_id(detail::block_size)) break;
      if (id_at != nullptr) id_at = std::lower_bound(id_at, block.ids + block.count, id);
      copy[id_at != nullptr ? id_at - block.ids : id - block.first] = kernel::infinite(-1);
      lost_best = lost_best || !(kernel::logit_of(keys[i]) < block.max);
    }
    if (lost_best) take_max(block);
  }
  if (size_known_) size_ -= keys.size();
  complete_ = max_known_ = false;
  ++changes_;
}

template <class Keep>
inline void row_blocks::list_kept(float least, Keep&& keep) noexcept {
  least = std::max(least, threshold_);
  auto* const keys = scratch().take<kernel::rank_key>(vocab_);
  const std::size_t present =
      kernels_.collect(widened(least), block_count_, least, kernel::infinite(1), keys);
  std::size_t count = 0;
  for (std::size_t i = 0; i < present; ++i) {
    const token_id id = kernel::id_of(keys[i]);
    const float logit = kernel::logit_of(keys[i]);
    if (!keep(id, logit)) continue;
    ids_[count] = id;
    logits_[count++] = logit;
  }
  list(count);
}

SLUICE_NEVER_INLINE void row_blocks::list_keys(std::span<kernel::rank_key> keys) noexcept {
  sort_by_id(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ids_[i] = kernel::id_of(keys[i]);
    logits_[i] = kernel::logit_of(keys[i]);
  }
  list(keys.size());
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
