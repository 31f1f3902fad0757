#pragma once

// Every SLUICE_ macro, each explained where it is defined. A program may define SLUICE_TIER before it
// includes the library, as scalar, avx2 or avx512: the kernels are then chosen when it is compiled. The
// others are ours.

#if __cplusplus < 202002L
#error "sluice needs C++20: -std=c++20 or newer"
#endif
#if defined(SLUICE_ONE_HEADER)
#error "sluice in one header was included before: it does not go with the include tree"
#endif

// The version: CMake and the packages read it here.
#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 1
#define SLUICE_VERSION_PATCH 0

// Always inline: the function is merged into its caller. Files of one program may be compiled with other
// flags, and of an ordinary inline function the linker keeps one copy, of either file; of these there is none
// to share. What users call is such a function; code that flags change stands behind it, in a namespace that
// carries those flags in its name (SLUICE_ISA).
#if defined(__clang__) && defined(__FAST_MATH__) && (defined(__FMA__) || defined(__AVX512F__))
// IEEE arithmetic there has another target, and clang merges nothing into it that has not: each file keeps a
// copy of its own.
#define SLUICE_ALWAYS_INLINE [[clang::internal_linkage]] inline
#else
#define SLUICE_ALWAYS_INLINE [[gnu::always_inline]] inline
#endif

// Never inline: one call, which the caller's floating-point options do not leak into.
#define SLUICE_NEVER_INLINE [[gnu::noinline]] inline

// Cold: what runs once a chain. Compiled for size, which costs a compiler less.
#define SLUICE_COLD [[gnu::cold, gnu::noinline]] inline

// The namespace of what differs between files with and without exceptions (refuse.hpp).
#if defined(__cpp_exceptions)
#define SLUICE_REFUSAL throwing
#else
#define SLUICE_REFUSAL aborting
#endif

// The namespace of code whose instructions depend on the flags of the file that includes it: files of equal
// flags share it, others do not.
#if defined(__AVX512F__)
#define SLUICE_ISA_NAME isa_avx512
#elif defined(__FMA__) && defined(__AVX2__)
#define SLUICE_ISA_NAME isa_avx2_fma
#elif defined(__AVX2__)
#define SLUICE_ISA_NAME isa_avx2
#elif defined(__AVX__)
#define SLUICE_ISA_NAME isa_avx
#elif defined(__SSE4_1__)
#define SLUICE_ISA_NAME isa_sse4
#else
#define SLUICE_ISA_NAME isa_base
#endif
// Two words as one, once they are expanded.
#define SLUICE_JOIN_(a, b) a##b
#define SLUICE_JOIN(a, b) SLUICE_JOIN_(a, b)
#if defined(__FAST_MATH__)
#define SLUICE_ISA SLUICE_JOIN(SLUICE_ISA_NAME, _fast)
#else
#define SLUICE_ISA SLUICE_ISA_NAME
#endif

// IEEE arithmetic: a region of floating point as IEEE 754 writes it, whatever the flags of the file. No fused
// multiply-add that was not asked for, no reassociation, NaN and infinity are real. clang under -ffast-math
// fuses in its back end and heeds no pragma there, so the region then has no FMA to fuse into.
// Standard headers are included before a region opens. In regions g++ leaves out passes that cost much of
// the time a file that samples takes to compile. All name one set: g++ merges no function into one with other
// options.
#if defined(__clang__)
#if defined(__FAST_MATH__) && (defined(__FMA__) || defined(__AVX512F__))
#define SLUICE_IEEE_BEGIN                                                                \
  _Pragma("float_control(precise, on, push)") _Pragma("clang fp contract(off)") _Pragma( \
      "clang attribute push(__attribute__((target(\"no-fma,no-fma4,no-avx512f\"))), apply_to = function)")
#define SLUICE_IEEE_END _Pragma("clang attribute pop") _Pragma("float_control(pop)")
#else
#define SLUICE_IEEE_BEGIN _Pragma("float_control(precise, on, push)") _Pragma("clang fp contract(off)")
#define SLUICE_IEEE_END _Pragma("float_control(pop)")
#endif
#else
#define SLUICE_PRAGMA_(text) _Pragma(#text)
#define SLUICE_OPTIONS_                                          \
  SLUICE_PRAGMA_(GCC optimize("no-fast-math", "fp-contract=off", \
                              "no-tree-pre,no-code-hoisting,no-tree-vrp,no-thread-jumps"))
#define SLUICE_IEEE_BEGIN _Pragma("GCC push_options") SLUICE_OPTIONS_
#define SLUICE_IEEE_END _Pragma("GCC pop_options")
#endif

// A target region: its functions are compiled for a target, with IEEE arithmetic as well. A function keeps
// the target of the place where it is written; what is called inside a region is written there, or is no hot
// code. Under -ffast-math clang's back end would fuse, so FMA is taken away; AVX-512 cannot be had without
// it, and there the AVX2 kernels serve. Standard headers are included before.
#if defined(__clang__)
#define SLUICE_TARGET_PRAGMA_(text) _Pragma(#text)
#define SLUICE_TARGET_PRAGMA(text) SLUICE_TARGET_PRAGMA_(text)
#if defined(__FAST_MATH__)
#define SLUICE_TARGET_BEGIN(isa)                                                                      \
  _Pragma("float_control(precise, on, push)") _Pragma("clang fp contract(off)") SLUICE_TARGET_PRAGMA( \
      clang attribute push(__attribute__((target(isa ",no-fma,no-fma4"))), apply_to = function))
#else
#define SLUICE_TARGET_BEGIN(isa)                                                \
  _Pragma("float_control(precise, on, push)") _Pragma("clang fp contract(off)") \
      SLUICE_TARGET_PRAGMA(clang attribute push(__attribute__((target(isa))), apply_to = function))
#endif
#define SLUICE_TARGET_END _Pragma("clang attribute pop") _Pragma("float_control(pop)")
#else
#define SLUICE_TARGET_BEGIN(isa) _Pragma("GCC push_options") SLUICE_OPTIONS_ SLUICE_PRAGMA_(GCC target(isa))
#define SLUICE_TARGET_END _Pragma("GCC pop_options")
#endif

// Before an inner loop over a few vectors: they stay in registers.
#if defined(__clang__)
#define SLUICE_UNROLL _Pragma("unroll")
#else
#define SLUICE_UNROLL _Pragma("GCC unroll 16")
#endif

// The vector kernels that are compiled. Which of them run is decided by the machine (kernel/tier.hpp).
#if defined(__x86_64__)
#define SLUICE_HAS_AVX2 1
#if !(defined(__clang__) && defined(__FAST_MATH__))
#define SLUICE_HAS_AVX512 1
#endif
#endif
