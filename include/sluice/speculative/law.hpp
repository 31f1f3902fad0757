#pragma once

// The target's law at a row, by id and in double, and what is left of it when a draft's law is taken away.

#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/chain/run.hpp>
#include <sluice/draw/weight.hpp>
#include <sluice/row/members.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// A probability that a caller hands over; what is none counts as 0.
inline double given(float probability) noexcept { return probability > 0 ? double(probability) : 0; }

/// That of the token in a draft's law: of its first entry; 0 where it is not there.
inline double given_to(std::span<const candidate> law, token_id token) noexcept {
  for (const candidate& c : law)
    if (c.id == token) return given(c.probability);
  return 0;
}

/// Tokens in ascending order of id, each with a weight: a law, or what is left of one. In scratch memory.
class weighted_tokens {
 public:
  weighted_tokens(double* weights, token_id* ids, std::size_t count) noexcept
      : weights_(weights), ids_(ids), count_(count) {}

  double of(token_id token) const noexcept {
    const std::size_t at = place_of(token);
    return at < count_ ? weights_[at] : 0;
  }

  /// w = factor w - q, at least 0; of an id that q names again the first entry counts.
  void subtract(double factor, std::span<const candidate> q) noexcept {
    for (std::size_t i = 0; i < count_; ++i) weights_[i] *= factor;
    for (const candidate& c : q) {
      const std::size_t at = place_of(c.id);
      if (at == count_ || ids_[at] < 0) continue;
      ids_[at] |= named;
      const double left = weights_[at] - given(c.probability);
      weights_[at] = left > 0 ? left : 0;
    }
  }

  double total() const noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += weights_[i];
    return sum;
  }

  /// Inverse distribution function, from one word; `total` is above 0.
  token_id drawn_by(std::uint64_t word, double total) const noexcept {
    const double target = double(word >> 11) * 0x1p-53 * total;
    double running = 0;
    token_id last = no_token;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!(weights_[i] > 0)) continue;
      running += weights_[i];
      last = id(i);
      if (running > target) break;
    }
    return last;
  }

 private:
  static constexpr token_id named = token_id(0x80000000u);  // a mark on an id

  token_id id(std::size_t at) const noexcept { return ids_[at] & ~named; }

  /// `count_` where it is not there. Ids without gaps are found at once.
  std::size_t place_of(token_id token) const noexcept {
    if (count_ == 0 || token < id(0)) return count_;
    const std::size_t guess = std::size_t(token - id(0));
    if (guess < count_ && id(guess) == token) return guess;
    std::size_t low = 0, high = count_;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (id(middle) < token) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < count_ && id(low) == token ? low : count_;
  }

  double* weights_;
  token_id* ids_;
  std::size_t count_;
};

/// A row of the target, with all that the chain does before the draw.
class target_row {
 public:
  target_row(const planned& chain, const logits_view& logits, sequence& q, const call_options& call) noexcept
      : chain_(chain), q_(q), row_(logits, call, memory_of(call.workspace), chain.plan.cuts_by) {
    if (row_.status() == sample_status::ok) run(chain, row_, q, call, wanted::survivors);
  }

  sample_status status() const noexcept { return row_.status(); }

  /// The token counts as the one that was drawn here: its acceptance moves what the chain feeds back. Before
  /// `law`, whose memory what was noted for this may share. False where memory ran out.
  bool count_as_drawn(token_id token) noexcept {
    const std::uint8_t stage = chain_.plan.feedback;
    if (stage == plan_step::joint) forget_draw(sequence_access::of(q_));
    return stage == plan_step::joint || chain_.code.settle[stage](chain_.stages, row_, q_, token);
  }

  /// The survivors' probabilities, of the weights that the draw uses.
  [[gnu::noinline]] weighted_tokens law() noexcept {
    const std::size_t size = row_.size();
    draw::weights weights(row_);
    const bool integers = chain_.plan.draw == draw_method::softmax;
    const double top = integers ? 0 : weights.top();
    double sum = integers ? double(weights.total()) : 0;
    scratch memory = row_internals::blocks(row_).scratch();
    double* const p = memory.take<double>(size);
    token_id* const ids = memory.take<token_id>(size);
    std::size_t count = 0;
    row_.each([&](token_id id, float logit) {
      p[count] = integers ? double(weights.mass(id, logit))
                          : kernel::exp(weights.exponent(logit) + weights.log_factor(id) - top);
      if (!integers) sum += p[count];
      ids[count++] = id;
    });
    for (std::size_t i = 0; i < count; ++i) p[i] = p[i] / sum;
    return {p, ids, count};
  }

  /// What a call wants to know of the token that came of this row.
  void note(sample_record* record, token_id token) noexcept {
    if (record != nullptr) detail::note(row_, chain_.plan.draw, token, *record);
  }

  /// A token from max(factor p - q, 0), from p where that is empty.
  token_id recovered(double factor, std::span<const candidate> q, std::uint64_t word) noexcept {
    weighted_tokens left = law();
    left.subtract(factor, q);
    double total = left.total();
    if (!(total > 0)) {
      left = law();
      total = left.total();
    }
    return left.drawn_by(word, total);
  }

 private:
  const planned& chain_;
  sequence& q_;
  row row_;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
