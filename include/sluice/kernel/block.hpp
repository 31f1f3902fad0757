#pragma once

#include <cstddef>
#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

using detail::block_size;

/// The tokens [256 b, 256 b + 256) of a row, by id. A dense block is 256 logits (the last one fewer), read
/// where they lie; a sparse one is a list in ascending order of id. A logit below the row's threshold, -inf
/// and NaN are absent tokens.
struct block {
  const float* logits = nullptr;  // null: 16-bit logits that are not widened yet
  const token_id* ids = nullptr;  // null: dense
  token_id first = 0;
  std::uint32_t count = 0;
  float max = 0;  // of the tokens that are present; -inf where there are none

  token_id id(std::size_t i) const noexcept { return ids != nullptr ? ids[i] : first + token_id(i); }
};

SLUICE_IEEE_BEGIN

/// The largest logit at or above `threshold`, -inf if there is none. A NaN compares false and is passed over.
inline any_float max_of(const float* logits, std::size_t count, float threshold) noexcept {
  float max = infinite(-1);
  for (std::size_t i = 0; i < count; ++i)
    if (logits[i] >= threshold && logits[i] > max) max = logits[i];
  return max;
}

SLUICE_IEEE_END

inline bool any_nan(const float* logits, std::size_t count) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) any |= is_nan(logits[i]);
  return any;
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
