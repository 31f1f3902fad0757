// What the test program asks of the heap.
#pragma once

#include <cstddef>

namespace tests {

struct heap_use {
  std::size_t allocations = 0, bytes = 0;
};

/// What has been asked for since the program began.
heap_use heap() noexcept;

/// While it lives, no allocation succeeds after the first `count`.
class scarce_memory {
 public:
  explicit scarce_memory(std::size_t count) noexcept;
  ~scarce_memory();
};

}  // namespace tests
