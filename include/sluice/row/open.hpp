#pragma once

// How a row is read: dense, dense with few allowed tokens, or sparse. Included by row.hpp.

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_STRICT_BEGIN

inline constexpr std::size_t longest_row = (std::size_t{1} << 20) - 1;

namespace kernel {

inline bool allows(const token_mask& mask, std::size_t token) noexcept {
  if (mask.empty()) return true;
  const std::size_t word = token / 32;
  return word < mask.words().size() && (mask.words()[word] >> (token % 32) & 1) != 0;
}

/// Allowed tokens below `vocab`.
inline std::size_t count_allowed(const token_mask& mask, std::size_t vocab) noexcept {
  std::size_t count = 0;
  for (std::size_t w = 0; w < mask.words().size() && w * 32 < vocab; ++w) {
    std::uint32_t word = mask.words()[w];
    if (vocab - w * 32 < 32) word &= (1u << (vocab - w * 32)) - 1;
    count += std::size_t(std::popcount(word));
  }
  return count;
}

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

inline row::row(const logits_view& logits, const call_options& call, workspace& memory,
                truncation_engine engine) noexcept
    : vocab_(kernel::vocab_of(logits)), memory_(memory), call_bias_(call.bias), engine_(engine) {
  const std::size_t blocks = (vocab_ + random::block_size - 1) / random::block_size;
  if (vocab_ > longest_row) {
    fail(sample_status::row_too_long);
  } else if (!lay_out(std::max(vocab_, logits.size()), blocks, call.bias.size())) {
    fail(sample_status::out_of_memory);
  }
  if (status_ != sample_status::ok) {
    saw_nan_ = kernel::allowed_nan(logits, call.mask);
  } else if (logits.sparse()) {
    open_sparse(logits, call.mask);
  } else if (!call.mask.empty() && kernel::count_allowed(call.mask, vocab_) < vocab_ / 64) {
    open_allowed(logits, call.mask);
  } else {
    open_dense(logits, call.mask);
  }
}

/// The workspace's memory for a row.
inline std::size_t row_bytes(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept {
  const std::size_t padded = blocks * random::block_size;
  const std::size_t scratch = std::max({tokens * 12, blocks * 32, biases * 8});
  return std::max(padded, tokens) * 8 + scratch + blocks * (sizeof(kernel::block) + 32) + 64;
}

inline bool row::lay_out(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept {
  std::byte* const bytes = detail::workspace_access::row_memory(memory_, row_bytes(tokens, blocks, biases));
  if (bytes == nullptr) return false;
  const std::size_t cells = std::max(blocks * random::block_size, tokens);
  std::byte* next = bytes;
  const auto take = [&next](std::size_t size) { return std::exchange(next, next + size); };
  blocks_ = reinterpret_cast<kernel::block*>(take(blocks * sizeof(kernel::block)));
  marks_ = reinterpret_cast<std::uint32_t*>(take(blocks * 32));
  logits_ = reinterpret_cast<float*>(take(cells * sizeof(float)));
  ids_ = reinterpret_cast<token_id*>(take(cells * sizeof(token_id)));
  next = bytes + (std::size_t(next - bytes) + 15) / 16 * 16;
  scratch_ = next;
  room_ = cells;
  return true;
}

inline void row::open_dense(const logits_view& logits, const token_mask& mask) noexcept {
  const bool narrow = logits.type() != logit_type::f32;
  const float* const source = narrow ? nullptr : static_cast<const float*>(logits.data());
  block_count_ = (vocab_ + random::block_size - 1) / random::block_size;
  for (std::size_t b = 0; b < block_count_; ++b) {
    const std::size_t first = b * random::block_size;
    const std::size_t count = std::min(random::block_size, vocab_ - first);
    std::uint32_t all = 0xffffffffu, any = mask.empty() ? all : 0;
    for (std::size_t w = first / 32; !mask.empty() && w < (first + count + 31) / 32; ++w) {
      std::uint32_t word = w < mask.words().size() ? mask.words()[w] : 0;
      const std::size_t past = w * 32 + 32 > vocab_ ? w * 32 + 32 - vocab_ : 0;
      any |= word & (0xffffffffu >> past);
      all &= past != 0 ? word | ~(0xffffffffu >> past) : word;
    }
    kernel::block& block = blocks_[b] = {.first = token_id(first), .count = std::uint32_t(count)};
    block.logits = narrow ? logits_ + first : source + first;
    block.max = kernel::infinite(-1);
    if (any == 0) continue;
    if (narrow || all != 0xffffffffu) {
      kernel::widen(logits.data(), logits.type(), first, count, logits_ + first);
      for (std::size_t i = 0; i < count; ++i)
        if (!kernel::allows(mask, first + i)) logits_[first + i] = kernel::infinite(-1);
      block.logits = logits_ + first;
    }
    saw_nan_ |= kernel::any_nan(block.logits, count);
    block.max = kernel::max_of(block.logits, count, floor_);
  }
}

inline void row::open_allowed(const logits_view& logits, const token_mask& mask) noexcept {
  std::size_t count = 0;
  for (std::size_t w = 0; w < mask.words().size() && w * 32 < vocab_; ++w) {
    for (std::uint32_t word = mask.words()[w]; word != 0; word &= word - 1) {
      const std::size_t token = w * 32 + std::size_t(std::countr_zero(word));
      if (token >= vocab_) break;
      const float logit = kernel::element(logits.data(), logits.type(), token);
      saw_nan_ |= kernel::is_nan(logit);
      if (!(logit >= floor_)) continue;
      ids_[count] = token_id(token);
      logits_[count++] = logit;
    }
  }
  list(count);
}

inline void row::open_sparse(const logits_view& logits, const token_mask& mask) noexcept {
  std::size_t count = 0;
  for (const std::uint64_t entry : kernel::sorted_ids(logits, reinterpret_cast<std::uint64_t*>(scratch_))) {
    const std::size_t token = entry >> 32;
    if (!kernel::allows(mask, token)) continue;
    const float logit = kernel::element(logits.data(), logits.type(), entry & 0xffffffffu);
    saw_nan_ |= kernel::is_nan(logit);
    if (!(logit >= floor_)) continue;
    ids_[count] = token_id(token);
    logits_[count++] = logit;
  }
  list(count);
}

/// Groups the first `count` entries of logits_ and ids_, in ascending order of id, into sparse blocks.
inline void row::list(std::size_t count) noexcept {
  block_count_ = 0;
  dense_ = false;
  floor_ = kernel::lowest;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const token_id number = ids_[begin] / token_id(random::block_size);
    while (end < count && ids_[end] / token_id(random::block_size) == number) ++end;
    blocks_[block_count_++] = {.logits = logits_ + begin,
                               .ids = ids_ + begin,
                               .first = number * token_id(random::block_size),
                               .count = std::uint32_t(end - begin),
                               .max = kernel::max_of(logits_ + begin, end - begin, floor_)};
  }
  size_ = count;
  size_known_ = true;
  max_known_ = false;
}

SLUICE_STRICT_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
