#pragma once

// The memory of a workspace, for the library's own parts, and the workspace of each thread.

#include <cstddef>

#include <sluice/api.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail {

/// What the library takes from a workspace; nothing else reaches its memory.
struct workspace_access {
  /// So many bytes for a row, or null where memory ran out.
  SLUICE_ALWAYS_INLINE static std::byte* row_memory(workspace& memory, std::size_t bytes) noexcept {
    return memory.row_.grow(bytes) ? memory.row_.data() : nullptr;
  }
  SLUICE_ALWAYS_INLINE static repeat_scratch& repeats(workspace& memory) noexcept { return memory.repeats_; }
};

}  // namespace detail

SLUICE_ALWAYS_INLINE std::size_t workspace::bytes() const noexcept { return row_.bytes() + repeats_.bytes(); }

inline namespace SLUICE_ISA {

/// The calling thread's own workspace. One a thread for each set of instructions that a program is compiled
/// for; not for the destructors of static objects, which may run after its own.
inline workspace& thread_workspace() noexcept {
  static thread_local workspace memory;
  return memory;
}

}  // namespace SLUICE_ISA
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
