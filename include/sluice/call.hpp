#pragma once

#include <cstdint>
#include <span>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <sluice/api.hpp>
#include <sluice/draw/weight.hpp>
#include <sluice/row.hpp>
#include <sluice/workspace.hpp>

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

/// What a call wants of the chain: the token alone, or the survivors that the draw would see.
enum class wanted : std::uint8_t { token, survivors };

/// A chain is called through these. A Plan has
///   truncation_engine engine() const
///   token_id run(row&, sequence&, wanted) const   every stage in turn, then (for a token) the draw
///   bool greedy() const, draw_method method() const
///   bool prepare(sequence&, workspace&, std::size_t vocab_size) const   reads the history ahead
namespace call {

SLUICE_IEEE_BEGIN

/// The probabilities of ranked survivors, of the weights that the draw uses.
inline void weigh(row& r, std::span<candidate> survivors, draw_method method) noexcept {
  draw::weights weights(r);
  const bool integers = method == draw_method::softmax;
  const double top = integers ? 0 : weights.top();
  double sum = integers ? double(weights.total()) : 0;
  const auto weight = [&](const candidate& c) {
    return integers ? double(weights.mass(c.id, c.logit))
                    : kernel::exp(weights.exponent(c.logit) + weights.log_factor(c.id) - top);
  };
  if (!integers)
    for (const candidate& c : survivors) sum += weight(c);
  for (candidate& c : survivors) c.probability = float(weight(c) / sum);
}

template <class Plan>
SLUICE_NEVER_INLINE sample_result sample_exactly(const Plan& plan, const logits_view& logits, sequence& q,
                                                 const call_options& call, workspace& memory) noexcept {
  row r(logits, call, memory, plan.engine());
  const token_id token = r.status() == sample_status::ok ? plan.run(r, q, wanted::token) : no_token;
  if (token == no_token && r.status() == sample_status::ok) r.fail(sample_status::no_token_left);
  return {r.status() == sample_status::ok ? token : no_token, r.status(), r.saw_nan()};
}

template <class Plan>
SLUICE_NEVER_INLINE std::span<const candidate> distribution_exactly(const Plan& plan,
                                                                    const logits_view& logits, sequence& q,
                                                                    const call_options& call,
                                                                    workspace& memory) noexcept {
  row r(logits, call, memory, plan.engine());
  if (r.status() == sample_status::ok) plan.run(r, q, wanted::survivors);
  if (r.status() != sample_status::ok) return {};
  if (plan.greedy()) r.keep_top(1);
  const std::span<candidate> survivors = r.top(r.size());
  weigh(r, survivors, plan.method());
  return survivors;
}

SLUICE_IEEE_END

inline workspace& memory_of(const call_options& call) noexcept {
  return call.workspace != nullptr ? *call.workspace : thread_workspace();
}

template <class Plan>
SLUICE_NEVER_INLINE sample_result sample(const Plan& plan, const logits_view& logits, sequence& q,
                                         const call_options& call) noexcept {
  const exact_arithmetic arithmetic;
  return sample_exactly(plan, logits, q, call, memory_of(call));
}

template <class Plan>
SLUICE_NEVER_INLINE std::span<const candidate> distribution(const Plan& plan, const logits_view& logits,
                                                            sequence& q, const call_options& call) noexcept {
  const exact_arithmetic arithmetic;
  return distribution_exactly(plan, logits, q, call, memory_of(call));
}

template <class Plan>
SLUICE_NEVER_INLINE bool prepare(const Plan& plan, sequence& q, std::size_t vocab_size,
                                 workspace* memory) noexcept {
  const exact_arithmetic arithmetic;
  const std::size_t blocks = (vocab_size + detail::block_size - 1) / detail::block_size;
  workspace& grown = memory != nullptr ? *memory : thread_workspace();
  return detail::workspace_access::row_memory(grown, row_bytes(vocab_size, blocks, 0)) != nullptr &&
         plan.prepare(q, grown, vocab_size);
}

}  // namespace call
}  // namespace sluice::inline v1::inline SLUICE_ISA
