#pragma once

// What draws feed back: values that move when a drawn token is accepted, and that a rewind restores as they
// were, bit for bit.
//
// A step of the trail holds what one token changed. `before` tells whose value it is, and whether that had
// moved before: 0 mirostat at its start, 1 mirostat, 2 adaptive-p at its start, 3 + i adaptive-p with the
// weight `weights[i]`. Few weights differ, so a step has no room for one.

#include <cstddef>
#include <cstdint>

#include <sluice/history/storage.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

inline constexpr std::uint32_t mirostat_start = 0, mirostat_moved = 1, adaptive_start = 2, adaptive_moved = 3;

/// Where the sequence has no value of that kind yet, the one that a chain starts with.
inline feedback_value feedback_of(const history& h, feedback_kind kind, double start,
                                  double start_weight = 0) noexcept {
  if (h.feedback) {
    const feedback_value& now = kind == feedback_kind::mirostat ? h.feedback->mirostat : h.feedback->adaptive;
    if (now.started) return now;
  }
  return {start, start_weight, false};
}

/// Memory for as many steps as there is room for tokens; false where there is none.
SLUICE_NEVER_INLINE bool prepare_feedback(history& h) noexcept {
  return h.feedback.make() && h.feedback->trail.try_reserve(h.tokens.capacity()) &&
         h.feedback->weights.try_reserve(8);
}

/// Notes a draw; false where memory ran out.
inline bool note_draw(history& h, const pending_draw& drawn) noexcept {
  if (!prepare_feedback(h)) return false;
  h.feedback->pending = drawn;
  return true;
}

/// Another draw at the same position takes a noted one's place, though it feeds nothing back.
inline void forget_draw(history& h) noexcept {
  if (h.feedback) h.feedback->pending = {};
}

/// Memory for one more step. May throw std::bad_alloc, and then nothing has changed.
inline void reserve_step(feedback& f) {
  const auto one_more = [](auto& a) {
    if (a.size() == a.capacity()) a.reserve(a.capacity() + a.capacity() / 2 + 8);
  };
  one_more(f.trail);
  one_more(f.weights);
}

/// Accepting a token at `position`: the pending draw moves its value if this is its token.
inline void move_feedback(feedback& f, std::uint32_t position, token_id token) noexcept {
  const pending_draw drawn = f.pending;
  f.pending = {};
  if (drawn.kind == feedback_kind::none || drawn.token != token) return;
  const bool mirostat = drawn.kind == feedback_kind::mirostat;
  feedback_value& now = mirostat ? f.mirostat : f.adaptive;
  std::uint32_t before = mirostat ? mirostat_start : adaptive_start;
  if (now.started && mirostat) before = mirostat_moved;
  if (now.started && !mirostat) {
    if (f.weights.size() == 0 || f.weights[f.weights.size() - 1] != now.weight)
      f.weights.push_back(now.weight);
    before = adaptive_moved + f.weights.size() - 1;
  }
  f.trail.push_back({position, before, now.value});
  now = {drawn.value, drawn.weight, true};
}

/// Restores what stood when there were `size` tokens.
inline void rewind_feedback(feedback& f, std::uint32_t size) noexcept {
  f.pending = {};
  while (f.trail.size() > 0 && f.trail[f.trail.size() - 1].position >= size) {
    const feedback_step step = f.trail[f.trail.size() - 1];
    f.trail.resize(f.trail.size() - 1);
    if (step.before < adaptive_start) {
      f.mirostat = {step.value, 0, step.before == mirostat_moved};
    } else if (step.before == adaptive_start) {
      f.adaptive = {};
      f.weights.resize(0);
    } else {
      const std::uint32_t weight = step.before - adaptive_moved;
      f.adaptive = {step.value, f.weights[weight], true};
      f.weights.resize(weight + 1);
    }
  }
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
