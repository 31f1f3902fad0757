#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <sluice/kernel/arithmetic/rank_key.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA {

/// The scratch memory of a row, handed out in pieces. It is a cursor: each primitive takes a new one at the
/// beginning of the memory, so what an earlier primitive left there is lost.
class scratch {
 public:
  explicit scratch(std::byte* memory) noexcept : next_(memory) {}

  /// Room for so many elements, not set.
  template <class T>
  T* take(std::size_t count) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(next_);
    std::byte* const aligned = next_ + (alignof(T) - at % alignof(T)) % alignof(T);
    next_ = aligned + count * sizeof(T);
    return reinterpret_cast<T*>(aligned);
  }

  /// What a row of so many tokens needs: a key and four bytes more for each token; the draw's tables of
  /// blocks, and notes beyond them; the call's biases.
  static constexpr std::size_t bytes(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept {
    return std::max({tokens * 12, of_draw(blocks) + tokens * 8, biases * 8});
  }
  static constexpr std::size_t of_draw(std::size_t blocks) noexcept { return blocks * 64 + 64; }
  static double* beyond_draw(std::byte* memory, std::size_t blocks) noexcept {
    return reinterpret_cast<double*>(memory + of_draw(blocks));
  }

  /// Keys at the beginning of the memory become candidates in place: from the last to the first, a candidate
  /// of 12 bytes covers only keys of 8 bytes that are converted already.
  static std::span<candidate> to_candidates(std::span<kernel::rank_key> keys) noexcept {
    auto* const memory = reinterpret_cast<std::byte*>(keys.data());
    for (std::size_t i = keys.size(); i-- > 0;) {
      kernel::rank_key key;
      std::memcpy(&key, memory + i * sizeof key, sizeof key);
      const candidate c{.id = kernel::id_of(key), .logit = kernel::logit_of(key)};
      std::memcpy(memory + i * sizeof c, &c, sizeof c);
    }
    return {reinterpret_cast<candidate*>(memory), keys.size()};
  }

 private:
  std::byte* next_;
};

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
