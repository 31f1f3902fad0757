#pragma once

// How a row is written: the block of a token is copied first.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/row/class.hpp>
#include <sluice/row/filter.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// Where a list has the block of a number, 1 more than its place in the table.
SLUICE_NEVER_INLINE void row::number_blocks() noexcept {
  std::fill_n(places_, (vocab_ + detail::block_size - 1) / detail::block_size, 0u);
  for (std::size_t b = 0; b < block_count_; ++b)
    places_[std::size_t(blocks_[b].first) / detail::block_size] = std::uint32_t(b + 1);
  numbered_ = true;
}

/// The block and place of a token that is present.
inline bool row::find(token_id token, kernel::block*& block, std::uint32_t& index) noexcept {
  if (token < 0 || std::size_t(token) >= vocab_) return false;
  const token_id number = token / token_id(detail::block_size);
  if (dense_) {
    block = blocks_ + number;
    if (block->logits == nullptr) widen(*block);
    index = std::uint32_t(token - block->first);
  } else {
    if (!numbered_) number_blocks();
    const std::uint32_t place = places_[number];
    if (place == 0) return false;
    block = blocks_ + (place - 1);
    const token_id* const end = block->ids + block->count;
    const token_id* const at = std::lower_bound(block->ids, end, token);
    if (at == end || *at != token) return false;
    index = std::uint32_t(at - block->ids);
  }
  return block->max >= floor_ && block->logits[index] >= floor_;
}

/// Copy on write: the caller's logits are never changed.
inline float* row::writable(kernel::block& block) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(opened(block).logits);
  const auto begin = reinterpret_cast<std::uintptr_t>(logits_);
  if (at >= begin && at < begin + room_ * sizeof(float)) return logits_ + (at - begin) / sizeof(float);
  std::memcpy(logits_ + block.first, block.logits, block.count * sizeof(float));
  block.logits = logits_ + block.first;
  return logits_ + block.first;
}

/// What lies below the floor may be among it: an absent token then stands for an empty block.
inline kernel::any_float row::max_of(const float* logits, std::size_t count) const noexcept {
  kernel::block block;
  kernels_.index(logits, count, &block);
  return block.max;
}

/// The caller forgets the sums.
inline void row::write(kernel::block& block, std::uint32_t index, const float& logit) noexcept {
  float* const logits = writable(block);
  const float old = std::exchange(logits[index], logit);
  if (logit >= block.max) {
    block.max = logit;
  } else if (!(old < block.max)) {
    block.max = max_of(logits, block.count);
  }
  if (kernel::is_infinite(logit)) whole_ = false;
}

/// Below-floor tokens become -inf, so that an edit can neither revive nor drop one.
inline void row::solidify() noexcept {
  if (!(floor_ > kernel::lowest)) return;
  const float floor = std::exchange(floor_, kernel::lowest);
  erase([floor](token_id, float logit) { return logit >= floor; });
}

template <class F>
inline void row::edit(token_id token, F&& f) noexcept {
  struct one {
    token_id token;
  };
  edit(std::span<const one>(std::array{one{token}}), [&f](const one&, double logit) { return f(logit); });
}

template <class Entries, class F>
inline void row::edit(const Entries& entries, F&& f) noexcept {
  constexpr std::ptrdiff_t ahead = 8;  // the logits of tokens further on are fetched meanwhile
  solidify();
  const auto* const end = std::to_address(entries.end());
  for (const auto* entry = std::to_address(entries.begin()); entry != end; ++entry) {
    if (dense_ && narrow_ == nullptr && end - entry > ahead) {
      const token_id next = entry[ahead].token;
      if (next >= 0 && std::size_t(next) < vocab_) {
        const kernel::block& block = blocks_[std::size_t(next) / detail::block_size];
        __builtin_prefetch(block.logits + (next - block.first));
      }
    }
    kernel::block* block;
    std::uint32_t index;
    if (!find(entry->token, block, index)) continue;
    const double logit = f(*entry, double(block->logits[index]));
    if (!kernel::is_nan(logit)) write(*block, index, kernel::saturated(logit));
  }
  forget_sums();
  reference_known_ = false;
}

inline void row::remove(token_id token) noexcept {
  reference();
  kernel::block* block;
  std::uint32_t index;
  if (!find(token, block, index)) return;
  write(*block, index, kernel::infinite(-1));
  forget_sums();
  if (size_known_) --size_;
}

SLUICE_NEVER_INLINE void row::settle_temperature() noexcept {
  const double t = std::exchange(temperature_, 1.0);
  if (t == 1) return;
  solidify();
  opened(floor_);
  for (std::size_t b = 0; b < block_count_; ++b) {
    kernel::block& block = blocks_[b];
    if (!(block.max >= floor_)) continue;
    float* const logits = writable(block);
    for (std::uint32_t i = 0; i < block.count; ++i)
      if (logits[i] >= floor_) logits[i] = kernel::saturated(double(logits[i]) / t);
    block.max = kernel::max_of(logits, block.count, floor_);
  }
  forget_sums();
  reference_known_ = false;
}

SLUICE_NEVER_INLINE void row::add_biases(std::span<const token_bias> request) noexcept {
  const auto apply = [this](token_id token, const float& bias) noexcept {
    kernel::block* block;
    std::uint32_t index;
    if (bias == 0 || !find(token, block, index)) return;
    const float logit = block->logits[index];
    if (kernel::is_infinite(bias) || kernel::is_infinite(logit)) {
      if (size_known_ && bias < 0 && kernel::is_infinite(bias)) --size_;
      write(*block, index, kernel::joined_bias(logit, bias));
    } else {
      write(*block, index, kernel::saturated(double(logit) + double(bias)));
    }
    forget_sums();
    reference_known_ = false;
  };
  const auto named = [request](token_id token) noexcept -> kernel::any_float {
    const auto at = std::lower_bound(request.begin(), request.end(), token,
                                     [](const token_bias& entry, token_id id) { return entry.token < id; });
    return at != request.end() && at->token == token ? at->bias : 0.0f;
  };
  solidify();
  auto* const calls =
      reinterpret_cast<std::uint64_t*>(scratch_);  // id << 32 | place: grouped, written order kept
  std::size_t count = 0;
  for (std::size_t i = 0; i < call_bias_.size(); ++i) {
    if (kernel::is_nan(call_bias_[i].bias)) return fail(sample_status::invalid_bias);
    if (call_bias_[i].token >= 0 && std::size_t(call_bias_[i].token) < vocab_)
      calls[count++] = std::uint64_t(call_bias_[i].token) << 32 | i;
  }
  std::sort(calls, calls + count);
  for (const token_bias& entry : request) {
    const auto key = std::uint64_t(std::uint32_t(entry.token)) << 32;
    const auto* const at = std::lower_bound(calls, calls + count, key);
    if (at == calls + count || *at >> 32 != key >> 32) apply(entry.token, entry.bias);
  }
  for (std::size_t i = 0; i < count;) {
    const auto token = token_id(calls[i] >> 32);
    float bias = named(token);
    for (; i < count && token_id(calls[i] >> 32) == token; ++i)
      bias = kernel::joined_bias(bias, call_bias_[calls[i] & 0xffffffffu].bias);
    apply(token, bias);
  }
  call_bias_ = {};
  if (!(max() > std::numeric_limits<float>::max())) return;
  std::size_t forced = 0;
  each([&](token_id id, const float& logit) {
    if (!kernel::is_infinite(logit)) return;
    ids_[forced] = id;
    logits_[forced++] = 0;
  });
  list(forced);
}

SLUICE_NEVER_INLINE void row::replace(std::span<candidate> candidates) noexcept {
  std::sort(candidates.begin(), candidates.end(),
            [](const candidate& a, const candidate& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    ids_[i] = candidates[i].id;
    logits_[i] = candidates[i].logit;
  }
  list(candidates.size());
  reference_known_ = false;
}

SLUICE_NEVER_INLINE void row::discount(std::span<const candidate> removable, double probability) noexcept {
  reference();
  std::fill_n(marks_, (vocab_ + 31) / 32, 0u);
  for (const candidate& c : removable) marks_[c.id / 32] |= 1u << (c.id % 32);
  discount_ = probability;
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
