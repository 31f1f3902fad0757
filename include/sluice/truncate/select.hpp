#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/kernel/arithmetic/rank_key.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::truncate {

/// The same cut without a sort: halve the keys about their median, weigh the upper half, and go on in the
/// half that the cut lies in. Linear in the keys.
struct select {
  template <class Before, class Weight>
  kernel::rank_key operator()(std::span<kernel::rank_key> keys, std::uint64_t need, Before before,
                              Weight weight) const noexcept {
    std::uint64_t above = 0;  // the weight of all that was passed by
    while (keys.size() > 1) {
      const std::size_t half = keys.size() / 2;
      std::nth_element(keys.begin(), keys.begin() + std::ptrdiff_t(half), keys.end(), before);
      const std::uint64_t upper = weight(std::span<const kernel::rank_key>(keys.first(half)));
      if (above + upper >= need) {
        keys = keys.first(half);
      } else {
        above += upper;
        keys = keys.subspan(half);
      }
    }
    return keys[0];
  }
};

}  // namespace sluice::inline v1::inline SLUICE_ISA::truncate
