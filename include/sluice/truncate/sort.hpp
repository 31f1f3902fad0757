#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/kernel/arithmetic/rank_key.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::truncate {

/// The reference engine: everything is put in order, then cut. Returns the last key of the shortest prefix
/// whose weight is at least `need`; the last of all if there is none. `keys` is not empty.
struct sort {
  template <class Before, class Weight>
  kernel::rank_key operator()(std::span<kernel::rank_key> keys, std::uint64_t need, Before before,
                              Weight weight) const noexcept {
    std::sort(keys.begin(), keys.end(), before);
    std::uint64_t sum = 0;
    for (const kernel::rank_key key : keys)
      if ((sum += weight(key)) >= need) return key;
    return keys.back();
  }
};

}  // namespace sluice::inline v1::inline SLUICE_ISA::truncate
