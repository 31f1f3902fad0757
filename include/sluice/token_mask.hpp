#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

template <class Reference>
concept mask_word = std::same_as<std::remove_cvref_t<Reference>, std::int32_t> ||
    std::same_as<std::remove_cvref_t<Reference>, std::uint32_t>;

/// The tokens that a step allows: token i is bit i % 32 of word i / 32, and a set bit allows it (the layout
/// that xgrammar and llguidance write). Bits past V are ignored; tokens past the end of the mask are not
/// allowed; an empty mask is no mask. The words are seen, never copied or written: they must outlive the call
/// that they are passed to. From any contiguous range of 32-bit words, signed or not, or `{pointer, count}`.
class token_mask {
 public:
  constexpr token_mask() noexcept = default;

  template <class Range>
  requires requires(const Range& words) {
    { *std::data(words) } -> mask_word;
    { std::size(words) } -> std::convertible_to<std::size_t>;
  }
  token_mask(const Range& words) noexcept  // NOLINT: implicit by design
      : token_mask(std::data(words), std::size(words)) {}

  token_mask(const std::int32_t* words, std::size_t count) noexcept
      : words_(reinterpret_cast<const std::uint32_t*>(words), count) {}
  constexpr token_mask(const std::uint32_t* words, std::size_t count) noexcept : words_(words, count) {}

  constexpr bool empty() const noexcept { return words_.empty(); }
  constexpr std::span<const std::uint32_t> words() const noexcept { return words_; }

 private:
  std::span<const std::uint32_t> words_ = {};
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
