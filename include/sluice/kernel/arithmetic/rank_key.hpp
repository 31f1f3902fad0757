#pragma once

#include <bit>
#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

/// The one total order as an integer: a higher key ranks before a lower one. The upper half is the logit as
/// ordered bits (-0 as +0), the lower half the inverted id. No token has key 0.
using rank_key = std::uint64_t;

SLUICE_IEEE_BEGIN

inline rank_key key_of(float logit, token_id id) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(logit + 0.0f);  // -0 + 0 = +0
  const std::uint32_t ordered = bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
  return rank_key{ordered} << 32 | std::uint32_t(~std::uint32_t(id));
}

SLUICE_IEEE_END

inline float logit_of(rank_key key) noexcept {
  const auto ordered = std::uint32_t(key >> 32);
  return std::bit_cast<float>(ordered ^ (ordered >> 31 ? 0x80000000u : 0xffffffffu));
}

inline token_id id_of(rank_key key) noexcept { return token_id(~std::uint32_t(key)); }

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
