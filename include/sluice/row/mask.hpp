#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/token_mask.hpp>

#include <sluice/macros_off.inc>

// What a token mask allows: one token, few tokens as a list, the tokens of one block.

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

}  // namespace kernel

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
