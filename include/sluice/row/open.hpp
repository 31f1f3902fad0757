#pragma once

// How a row is read: dense, dense with few allowed tokens, or sparse.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <sluice/row/blocks.hpp>
#include <sluice/row/edit.hpp>
#include <sluice/row/mask.hpp>
#include <sluice/row/sort.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

namespace kernel {

/// The ids of a sparse row in ascending order, each with its first place: id << 32 | place.
inline std::span<std::uint64_t> sorted_ids(const logits_view& logits, std::uint64_t* out) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (logits.ids()[i] >= 0) out[count++] = std::uint64_t(logits.ids()[i]) << 32 | i;
  sort_ascending(out, count);
  const auto end = std::unique(out, out + count, [](auto a, auto b) { return a >> 32 == b >> 32; });
  return {out, end};
}

/// V: the length of a dense row, the highest id + 1 of a sparse one.
inline std::size_t vocab_of(const logits_view& logits) noexcept {
  if (!logits.sparse()) return logits.size();
  token_id highest = no_token;
  for (std::size_t i = 0; i < logits.size(); ++i) highest = std::max(highest, logits.ids()[i]);
  return std::size_t(std::int64_t{highest} + 1);
}

/// For calls that cannot be served: the row is still looked at for NaN.
inline bool allowed_nan(const logits_view& logits, const token_mask& mask) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < logits.size() && !any; ++i) {
    const token_id id = logits.sparse() ? logits.ids()[i] : token_id(i);
    any = id >= 0 && allows(mask, std::size_t(id)) && is_nan(element(logits.data(), logits.type(), i));
  }
  return any;
}

}  // namespace kernel

/// So many words keep what follows them aligned to 8 bytes.
constexpr std::size_t even(std::size_t words) noexcept { return words + (words & 1); }

inline std::size_t row_blocks::bytes(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept {
  const std::size_t padded = blocks * detail::block_size;
  return std::max(padded, tokens) * 8 + sluice::scratch::bytes(tokens, blocks, biases) +
         blocks * (sizeof(kernel::block) + 32) + even(blocks) * 4 + 64;
}

inline bool row_blocks::lay_out(std::size_t tokens, std::size_t biases) noexcept {
  const std::size_t blocks = blocks_of_vocabulary();
  std::byte* next = detail::workspace_access::row_memory(memory_, bytes(tokens, blocks, biases));
  if (next == nullptr) return false;
  cells_ = std::max(blocks * detail::block_size, tokens);
  const auto take = [&next]<class T>(T*& part, std::size_t size) {
    part = reinterpret_cast<T*>(std::exchange(next, next + size * sizeof(T)));
  };
  take(blocks_, blocks);
  take(marks_, blocks * 8);
  take(logits_, cells_);
  take(ids_, cells_);
  take(places_, even(blocks));
  scratch_ = next;
  return true;
}

inline bool row_blocks::open(const logits_view& logits, const token_mask& mask) noexcept {
  if (logits.sparse()) return open_sparse(logits, mask);
  if (const auto allowed = few_allowed(mask)) return open_allowed(logits, *allowed);
  return open_dense(logits, mask);
}

SLUICE_NEVER_INLINE void row_blocks::widen(kernel::block& block) const noexcept {
  kernels_.widen(static_cast<const std::uint16_t*>(narrow_) + block.first, block.count, narrow_type_,
                 logits_ + block.first);
  block.logits = logits_ + block.first;
}

SLUICE_NEVER_INLINE void row_blocks::widen_reaching(const float& least) const noexcept {
  for (std::size_t b = 0; b < block_count_; ++b)
    if (blocks_[b].max >= least && blocks_[b].logits == nullptr) widen(blocks_[b]);
}

/// -inf in place of NaN, so that no comparison meets one: under -ffast-math g++ compares scalars in a way
/// that takes NaN for equal, whatever the region says.
SLUICE_NEVER_INLINE void row_blocks::remove_nan(kernel::block& block) noexcept {
  if (!kernel::any_nan(widened(block).logits, block.count)) return;
  float* const logits = writable(block);
  for (std::uint32_t i = 0; i < block.count; ++i)
    if (kernel::is_nan(logits[i])) logits[i] = kernel::infinite(-1);
  block.max = kernel::max_of(logits, block.count, threshold_);
}

/// 16-bit logits are indexed as they are; a block of them is widened where its logits are read.
SLUICE_NEVER_INLINE bool row_blocks::open_dense(const logits_view& logits, const token_mask& mask) noexcept {
  const bool narrow = logits.type() != logit_type::f32;
  const auto* const floats = static_cast<const float*>(logits.data());
  const auto* const shorts = static_cast<const std::uint16_t*>(logits.data());
  if (narrow) narrow_ = logits.data();
  narrow_type_ = logits.type();
  block_count_ = blocks_of_vocabulary();
  complete_ = true;
  bool saw_nan = false;
  const auto index = [&](std::size_t first, std::size_t count, kernel::block* out) {
    const kernel::row_content content = narrow
                                            ? kernels_.index_narrow(shorts + first, count, logits.type(), out)
                                            : kernels_.index(floats + first, count, out);
    complete_ = complete_ && content.all_finite;
    saw_nan = saw_nan || content.nan;
    return content.nan;
  };
  if (mask.empty()) {
    if (index(0, vocab_, blocks_))
      for (std::size_t b = 0; b < block_count_; ++b) remove_nan(blocks_[b]);
    return saw_nan;
  }
  for (std::size_t b = 0; b < block_count_; ++b) {
    const std::size_t first = b * detail::block_size;
    const std::size_t count = std::min(detail::block_size, vocab_ - first);
    const kernel::mask_words allowed(mask, first, count);
    kernel::block& block = blocks_[b];
    bool nan = false;
    if (allowed.all()) {
      nan = index(first, count, &block);
      block.first = token_id(first);
    } else {
      block = {.logits = narrow ? nullptr : floats + first,
               .first = token_id(first),
               .count = std::uint32_t(count)};
      block.max = kernel::infinite(-1);
      complete_ = false;
      if (allowed.none()) continue;
      allowed.clear(writable(block), count);
      const kernel::row_content content = kernels_.index(logits_ + first, count, &block);
      block.first = token_id(first);
      saw_nan = saw_nan || content.nan;
      nan = content.nan;
    }
    if (nan) remove_nan(block);
  }
  return saw_nan;
}

/// A mask that allows few tokens: their ids in ids_, and the row is not read but for them.
inline std::optional<std::size_t> row_blocks::few_allowed(const token_mask& mask) noexcept {
  if (mask.empty()) return std::nullopt;
  return kernel::allowed_tokens(mask, vocab_, vocab_ / 64, ids_);
}

/// Adds a token to the list that is being written, unless it is absent. Whether it is NaN.
inline bool row_blocks::list_finite(std::size_t& count, token_id id, const float& logit) noexcept {
  const bool nan = kernel::is_nan(logit);
  if (!nan && logit >= threshold_) {
    ids_[count] = id;
    logits_[count++] = logit;
  }
  return nan;
}

SLUICE_NEVER_INLINE bool row_blocks::open_allowed(const logits_view& logits, std::size_t allowed) noexcept {
  bool saw_nan = false;
  std::size_t count = 0;
  for (std::size_t i = 0; i < allowed; ++i) {
    const token_id id = ids_[i];
    saw_nan |= list_finite(count, id, kernel::element(logits.data(), logits.type(), std::size_t(id)));
  }
  list(count);
  return saw_nan;
}

SLUICE_NEVER_INLINE bool row_blocks::open_sparse(const logits_view& logits, const token_mask& mask) noexcept {
  bool saw_nan = false;
  std::size_t count = 0;
  auto* const places = scratch().take<std::uint64_t>(logits.size());
  for (const std::uint64_t entry : kernel::sorted_ids(logits, places)) {
    const std::size_t token = entry >> 32;
    if (!kernel::allows(mask, token)) continue;
    saw_nan |= list_finite(count, token_id(token),
                           kernel::element(logits.data(), logits.type(), entry & 0xffffffffu));
  }
  list(count);
  return saw_nan;
}

/// Groups the first `count` entries of logits_ and ids_, in ascending order of id, into blocks.
SLUICE_NEVER_INLINE void row_blocks::list(std::size_t count) noexcept {
  block_count_ = 0;
  dense_ = numbered_ = false;
  threshold_ = kernel::lowest;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const token_id number = ids_[begin] / token_id(detail::block_size);
    while (end < count && ids_[end] / token_id(detail::block_size) == number) ++end;
    blocks_[block_count_++] = {.logits = logits_ + begin,
                               .ids = ids_ + begin,
                               .first = number * token_id(detail::block_size),
                               .count = std::uint32_t(end - begin),
                               .max = kernel::max_of(logits_ + begin, end - begin, threshold_)};
  }
  size_ = count;
  size_known_ = true;
  complete_ = true;
  max_known_ = false;
  ++changes_;
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
