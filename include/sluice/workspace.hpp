#pragma once

#include <cstddef>

#include <sluice/api.hpp>

namespace sluice::inline v1::detail {

/// The one door to a workspace's memory.
struct workspace_access {
  static std::byte* row_memory(workspace& memory, std::size_t bytes) noexcept {
    return memory.row_.grow(bytes) ? memory.row_.data() : nullptr;
  }
  static repeat_scratch& repeats(workspace& memory) noexcept { return memory.repeats_; }
};

}  // namespace sluice::inline v1::detail

namespace sluice::inline v1::inline SLUICE_ISA {

/// The calling thread's own workspace.
inline workspace& thread_workspace() noexcept {
  static thread_local workspace memory;
  return memory;
}

}  // namespace sluice::inline v1::inline SLUICE_ISA
