#include "allocations.hpp"

#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::size_t plenty = std::numeric_limits<std::size_t>::max();
tests::heap_use used;
std::size_t left = plenty;

void* take(std::size_t bytes) noexcept {
  if (left == 0) return nullptr;
  if (left != plenty) --left;
  ++used.allocations;
  used.bytes += bytes;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

tests::heap_use tests::heap() noexcept { return used; }
tests::scarce_memory::scarce_memory(std::size_t count) noexcept { left = count; }
tests::scarce_memory::~scarce_memory() { left = plenty; }

void* operator new(std::size_t bytes) {
  if (void* memory = take(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
