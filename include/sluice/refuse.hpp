#pragma once

#include <cstdio>
#include <cstdlib>
#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail {

// Two functions under two names: files with and without exceptions then each keep their own, in any link
// order. Of one function that decides by #if, the linker would keep either.
inline namespace SLUICE_REFUSAL {

/// How a constructor refuses parameters: throws std::invalid_argument, or prints the text and aborts.
[[noreturn, gnu::cold]] inline void refuse(const problem& found) {
#if defined(__cpp_exceptions)
  throw std::invalid_argument(found.text);
#else
  std::fprintf(stderr, "sluice: %s\n", found.text.c_str());
  std::abort();
#endif
}

}  // namespace SLUICE_REFUSAL
}  // namespace sluice::inline v1::detail

#include <sluice/macros_back.inc>
