#pragma once

#include <cstddef>

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Calls f(0), f(1) .. f(n - 1) one after the other, on the thread that asks: what batches do unless they are
/// given something that calls them on many threads.
struct serial {
  template <class F>
  SLUICE_ALWAYS_INLINE void operator()(std::size_t n, F&& f) const {
    for (std::size_t i = 0; i < n; ++i) f(i);
  }
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
