#pragma once

// How a row is read: dense, dense with few allowed tokens, or sparse.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include <sluice/row/class.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

namespace kernel {

inline bool allows(const token_mask& mask, std::size_t token) noexcept {
  if (mask.empty()) return true;
  const std::size_t word = token / 32;
  return word < mask.words().size() && (mask.words()[word] >> (token % 32) & 1) != 0;
}

/// The allowed tokens below `vocab`, in order, if they are fewer than `limit`; otherwise nothing. `out` has
/// room for 64 more than that.
inline std::optional<std::size_t> allowed_tokens(const token_mask& mask, std::size_t vocab, std::size_t limit,
                                                 token_id* out) noexcept {
  const std::span<const std::uint32_t> words =
      mask.words().first(std::min(mask.words().size(), (vocab + 31) / 32));
  std::size_t count = 0;
  for (std::size_t w = 0; w < words.size();) {
    // Two blocks of zeros are passed over at a time.
    if (std::uint64_t eight[8]; w + 16 <= words.size()) {
      std::memcpy(eight, words.data() + w, sizeof eight);
      if (((eight[0] | eight[1]) | (eight[2] | eight[3]) | (eight[4] | eight[5]) | (eight[6] | eight[7])) ==
          0) {
        w += 16;
        continue;
      }
    }
    for (const std::size_t end = std::min(w + 16, words.size()); w < end; ++w) {
      for (std::uint32_t word = words[w]; word != 0; word &= word - 1) {
        if (count == limit) return std::nullopt;
        out[count] = token_id(w * 32 + std::size_t(std::countr_zero(word)));
        count += std::size_t(out[count]) < vocab;
      }
    }
  }
  return count;
}

/// The words of a mask for the tokens of one block; a block begins at a multiple of 256.
class mask_words {
 public:
  mask_words(const token_mask& mask, std::size_t first, std::size_t count) noexcept {
    for (std::size_t w = 0; w < 8; ++w) {
      const std::size_t here = count > w * 32 ? count - w * 32 : 0;
      const std::uint32_t tokens = here >= 32 ? ~0u : (1u << here) - 1;
      const std::size_t at = first / 32 + w;
      words_[w] = mask.empty() ? tokens : at < mask.words().size() ? mask.words()[at] & tokens : 0;
      any_ |= words_[w];
      missing_ |= words_[w] ^ tokens;
    }
  }

  bool none() const noexcept { return any_ == 0; }
  bool all() const noexcept { return missing_ == 0; }

  /// -inf in the places of the others. A word of ones costs a comparison, a word of zeros a store.
  void clear(float* logits, std::size_t count) const noexcept {
    for (std::size_t first = 0; first < count; first += 32) {
      const std::size_t here = std::min<std::size_t>(32, count - first);
      std::uint32_t missing = ~words_[first / 32];
      if (here < 32) missing &= (1u << here) - 1;
      if (missing == ~0u) {
        std::fill_n(logits + first, 32, infinite(-1));
        continue;
      }
      for (; missing != 0; missing &= missing - 1)
        logits[first + std::size_t(std::countr_zero(missing))] = infinite(-1);
    }
  }

 private:
  std::uint32_t words_[8] = {};
  std::uint32_t any_ = 0, missing_ = 0;
};

/// The ids of a sparse row in ascending order, each with its first place: id << 32 | place.
inline std::span<std::uint64_t> sorted_ids(const logits_view& logits, std::uint64_t* out) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (logits.ids()[i] >= 0) out[count++] = std::uint64_t(logits.ids()[i]) << 32 | i;
  std::sort(out, out + count);
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

SLUICE_NEVER_INLINE row::row(const logits_view& logits, const call_options& call, workspace& memory,
                             truncation_engine engine) noexcept
    : vocab_(kernel::vocab_of(logits)),
      memory_(memory),
      call_bias_(call.bias),
      kernels_(kernel::kernels(tier())),
      engine_(engine) {
  const std::size_t blocks = (vocab_ + detail::block_size - 1) / detail::block_size;
  if (vocab_ > detail::longest_row) {
    fail(sample_status::row_too_long);
  } else if (!lay_out(std::max(vocab_, logits.size()), blocks, call.bias.size())) {
    fail(sample_status::out_of_memory);
  }
  if (status_ != sample_status::ok) {
    saw_nan_ = kernel::allowed_nan(logits, call.mask);
  } else if (logits.sparse()) {
    open_sparse(logits, call.mask);
  } else if (const auto allowed = few_allowed(call.mask)) {
    open_allowed(logits, *allowed);
  } else {
    open_dense(logits, call.mask);
  }
}

/// So many words keep what follows them aligned to 8 bytes.
constexpr std::size_t even(std::size_t words) noexcept { return words + (words & 1); }

/// The workspace's memory for a row.
inline std::size_t row_bytes(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept {
  const std::size_t padded = blocks * detail::block_size;
  const std::size_t scratch = std::max({tokens * 12, blocks * 64 + 64, biases * 8});
  return std::max(padded, tokens) * 8 + scratch + blocks * (sizeof(kernel::block) + 32) + even(blocks) * 4 +
         64;
}

inline bool row::lay_out(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept {
  std::byte* const bytes = detail::workspace_access::row_memory(memory_, row_bytes(tokens, blocks, biases));
  if (bytes == nullptr) return false;
  const std::size_t cells = std::max(blocks * detail::block_size, tokens);
  std::byte* next = bytes;
  const auto take = [&next](std::size_t size) { return std::exchange(next, next + size); };
  blocks_ = reinterpret_cast<kernel::block*>(take(blocks * sizeof(kernel::block)));
  marks_ = reinterpret_cast<std::uint32_t*>(take(blocks * 32));
  logits_ = reinterpret_cast<float*>(take(cells * sizeof(float)));
  ids_ = reinterpret_cast<token_id*>(take(cells * sizeof(token_id)));
  places_ = reinterpret_cast<std::uint32_t*>(take(even(blocks) * sizeof(std::uint32_t)));
  scratch_ = next;
  room_ = cells;
  return true;
}

SLUICE_NEVER_INLINE void row::widen(kernel::block& block) const noexcept {
  kernels_.widen(static_cast<const std::uint16_t*>(narrow_) + block.first, block.count, narrow_type_,
                 logits_ + block.first);
  block.logits = logits_ + block.first;
}

SLUICE_NEVER_INLINE void row::widen(const float& least) const noexcept {
  for (std::size_t b = 0; b < block_count_; ++b)
    if (blocks_[b].max >= least && blocks_[b].logits == nullptr) widen(blocks_[b]);
}

/// -inf in place of NaN, so that no comparison meets one: under -ffast-math g++ compares scalars in a way
/// that takes NaN for equal, whatever the region says.
SLUICE_NEVER_INLINE void row::drop_nan(kernel::block& block) noexcept {
  if (!kernel::any_nan(opened(block).logits, block.count)) return;
  float* const logits = writable(block);
  for (std::uint32_t i = 0; i < block.count; ++i)
    if (kernel::is_nan(logits[i])) logits[i] = kernel::infinite(-1);
  block.max = kernel::max_of(logits, block.count, floor_);
}

/// 16-bit logits are indexed as they are; a block of them is widened where its logits are read.
SLUICE_NEVER_INLINE void row::open_dense(const logits_view& logits, const token_mask& mask) noexcept {
  const bool narrow = logits.type() != logit_type::f32;
  const auto* const floats = static_cast<const float*>(logits.data());
  const auto* const shorts = static_cast<const std::uint16_t*>(logits.data());
  if (narrow) narrow_ = logits.data();
  narrow_type_ = logits.type();
  block_count_ = (vocab_ + detail::block_size - 1) / detail::block_size;
  whole_ = true;
  const auto index = [&](std::size_t first, std::size_t count, kernel::block* out) {
    const kernel::row_content content = narrow
                                            ? kernels_.index_narrow(shorts + first, count, logits.type(), out)
                                            : kernels_.index(floats + first, count, out);
    whole_ = whole_ && content.all_finite;
    saw_nan_ = saw_nan_ || content.nan;
    return content.nan;
  };
  if (mask.empty()) {
    if (index(0, vocab_, blocks_))
      for (std::size_t b = 0; b < block_count_; ++b) drop_nan(blocks_[b]);
    return;
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
      whole_ = false;
      if (allowed.none()) continue;
      allowed.clear(writable(block), count);
      const kernel::row_content content = kernels_.index(logits_ + first, count, &block);
      block.first = token_id(first);
      saw_nan_ = saw_nan_ || content.nan;
      nan = content.nan;
    }
    if (nan) drop_nan(block);
  }
}

/// A mask that allows few tokens: their ids in ids_, and the row is not read but for them.
inline std::optional<std::size_t> row::few_allowed(const token_mask& mask) noexcept {
  if (mask.empty()) return std::nullopt;
  return kernel::allowed_tokens(mask, vocab_, vocab_ / 64, ids_);
}

SLUICE_NEVER_INLINE void row::open_allowed(const logits_view& logits, std::size_t allowed) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < allowed; ++i) {
    const token_id id = ids_[i];
    const float logit = kernel::element(logits.data(), logits.type(), std::size_t(id));
    const bool nan = kernel::is_nan(logit);
    saw_nan_ |= nan;
    if (nan || !(logit >= floor_)) continue;
    ids_[count] = id;
    logits_[count++] = logit;
  }
  list(count);
}

SLUICE_NEVER_INLINE void row::open_sparse(const logits_view& logits, const token_mask& mask) noexcept {
  std::size_t count = 0;
  for (const std::uint64_t entry : kernel::sorted_ids(logits, reinterpret_cast<std::uint64_t*>(scratch_))) {
    const std::size_t token = entry >> 32;
    if (!kernel::allows(mask, token)) continue;
    const float logit = kernel::element(logits.data(), logits.type(), entry & 0xffffffffu);
    const bool nan = kernel::is_nan(logit);
    saw_nan_ |= nan;
    if (nan || !(logit >= floor_)) continue;
    ids_[count] = token_id(token);
    logits_[count++] = logit;
  }
  list(count);
}

/// Groups the first `count` entries of logits_ and ids_, in ascending order of id, into sparse blocks.
SLUICE_NEVER_INLINE void row::list(std::size_t count) noexcept {
  block_count_ = 0;
  dense_ = numbered_ = false;
  floor_ = kernel::lowest;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const token_id number = ids_[begin] / token_id(detail::block_size);
    while (end < count && ids_[end] / token_id(detail::block_size) == number) ++end;
    blocks_[block_count_++] = {.logits = logits_ + begin,
                               .ids = ids_ + begin,
                               .first = number * token_id(detail::block_size),
                               .count = std::uint32_t(end - begin),
                               .max = kernel::max_of(logits_ + begin, end - begin, floor_)};
  }
  size_ = count;
  size_known_ = true;
  whole_ = true;
  forget_sums();
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
