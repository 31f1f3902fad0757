#pragma once

#include <cstdint>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA {

/// Rounds to nearest and keeps subnormals while it lives, whatever the process has set: linking with
/// -ffast-math flushes them. What changes the arithmetic stays behind a call (SLUICE_NEVER_INLINE), which no
/// compiler moves past it.
class exact_arithmetic {
 public:
#if defined(__SSE__)
  exact_arithmetic() noexcept : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~exact_arithmetic() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
#elif defined(__aarch64__)
  exact_arithmetic() noexcept {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
    const std::uint64_t plain = 0;
    __asm__ volatile("msr fpcr, %0" ::"r"(plain));
  }
  ~exact_arithmetic() { __asm__ volatile("msr fpcr, %0" ::"r"(saved_)); }

 private:
  std::uint64_t saved_ = 0;
#else
  exact_arithmetic() noexcept {}
  ~exact_arithmetic() {}
#endif
 public:
  exact_arithmetic(const exact_arithmetic&) = delete;
  exact_arithmetic& operator=(const exact_arithmetic&) = delete;
};

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
