#pragma once

// What a row asks of the history.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <sluice/row/class.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

inline token_counts row::window(sequence& q, int last_n, counted which) noexcept {
  const auto* const counts = past::window(q, last_n, which);
  if (counts == nullptr) fail(sample_status::out_of_memory);
  return token_counts(counts);
}

inline std::span<const token_repeat> row::repeats(sequence& q, const dry_rules& rules) noexcept {
  std::span<const token_repeat> found;
  if (!past::repeats(q, rules, detail::workspace_access::repeats(memory_), found)) {
    fail(sample_status::out_of_memory);
    return {};
  }
  return found;
}

}  // namespace sluice::inline v1::inline SLUICE_ISA
