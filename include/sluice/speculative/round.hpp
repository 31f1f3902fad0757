#pragma once

// One round of verification: which drafts stand, and the token that comes after them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/api.hpp>
#include <sluice/chain/run.hpp>
#include <sluice/chain/standard_chain.hpp>
#include <sluice/history/tokens.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/speculative/draft.hpp>
#include <sluice/speculative/law.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

class round_of_drafts {
 public:
  round_of_drafts(const planned& chain, sequence& q, std::span<const logits_view> rows, const draft& drafted,
                  std::span<token_id> out, std::span<const call_options> options) noexcept
      : chain_(chain), q_(q), rows_(rows), drafted_(drafted), out_(out), options_(options) {
    drafts_ = std::min({rows.size() - 1, drafted.tokens.size(), out.size() - 1});
    if (!drafted.laws.empty()) drafts_ = std::min(drafts_, drafted.laws.size());
    if (options.size() > 1) drafts_ = std::min(drafts_, options.size() - 1);
    for (const call_options& each : options) forget(each.record);
  }

  verified without_laws() noexcept {
    while (draw_next() && result_.count <= drafts_ && last() == drafted_.tokens[result_.count - 1])
      ++result_.accepted;
    return result_;
  }

  verified per_token() noexcept {
    for (std::size_t i = 0; i < drafts_; ++i) {
      target_row target(chain_, rows_[i], q_, call(i));
      const token_id token = drafted_.tokens[i];
      const std::span<const candidate> q = drafted_.laws[i];
      if (target.status() != sample_status::ok) return ended(target.status());
      if (!target.count_as_drawn(token)) return ended(sample_status::out_of_memory);
      const weighted_tokens law = target.law();
      const double p = law.of(token);
      const random::source here{q_.seed(), q_.position()};
      if (!(p > 0 && unit(here, 0) * given_to(q, token) < p)) return replace(target, i, 1, q);
      target.note(call(i).record, token);
      if (!accept(token)) return result_;
      ++result_.accepted;
    }
    draw_next();
    return result_;
  }

  /// c follows the drafts; where row i has no token it is as if they ended before it.
  verified block() noexcept {
    const random::source begin{q_.seed(), q_.position()};
    double c = 1, c_of_best = 1;
    std::size_t best = 0, tried = 0, end = drafts_;
    for (; tried < end; ++tried) {
      target_row target(chain_, rows_[tried], q_, call(tried));
      const token_id token = drafted_.tokens[tried];
      const std::span<const candidate> q = drafted_.laws[tried];
      if (target.status() != sample_status::ok || !target.count_as_drawn(token)) {
        end = tried;
        break;
      }
      weighted_tokens law = target.law();
      target.note(call(tried).record, token);
      const double p = law.of(token), given = given_to(q, token);
      if (tried > 0) {
        law.subtract(c, q);
        const double left = law.total(), lost = left + (1 - c);
        if (unit(begin, std::uint32_t(tried)) <= (lost > 0 ? left / lost : 1)) {
          best = tried;
          c_of_best = c;
        }
      }
      if (given > 0) {
        c = std::min(1.0, c * p / given);
      } else if (!(p > 0)) {
        c = 0;
      }
      if (!(c > 0)) break;  // all that follow have h = 0
      if (!room_for_one(sequence_access::of(q_))) {
        end = tried;
        break;
      }
      q_.accept(token);
    }
    if (tried == end && (end == 0 || unit(begin, std::uint32_t(end)) <= c)) best = end;
    q_.rewind(tried - best);
    for (std::size_t i = best; i < drafts_ && i <= tried; ++i) forget(call(i).record);
    result_.accepted = result_.count = best;
    std::copy_n(drafted_.tokens.begin(), best, out_.begin());
    if (best == end) {
      draw_next();
      return result_;
    }
    target_row target(chain_, rows_[best], q_, call(best));
    return replace(target, best, c_of_best, drafted_.laws[best]);
  }

 private:
  /// (w0 + 1/2) 2^-32 of the acceptance stream.
  static double unit(random::source from, std::uint32_t index) noexcept {
    return (double(from.at(random::stream::acceptance, index)[0]) + 0.5) * 0x1p-32;
  }

  const call_options& call(std::size_t row) const noexcept {
    if (options_.empty()) return no_options_;
    return options_.size() == 1 ? options_[0] : options_[row];
  }
  token_id last() const noexcept { return out_[result_.count - 1]; }

  /// The token stands: in the sequence and in `out`.
  bool accept(token_id token) noexcept {
    if (!room_for_one(sequence_access::of(q_))) {
      result_.status = sample_status::out_of_memory;
      return false;
    }
    q_.accept(token);
    out_[result_.count++] = token;
    return true;
  }

  /// Draws and accepts as plain decoding does.
  bool draw_next() noexcept {
    const std::size_t at = result_.count;
    const sample_result drawn =
        sample_exactly(chain_, rows_[at], q_, call(at), memory_of(call(at).workspace));
    result_.status = drawn.status;
    return drawn && accept(drawn.token);
  }

  static void forget(sample_record* record) noexcept {
    if (record == nullptr) return;
    record->kept_count = 0;
    record->logprob = 0;
  }

  /// The row at which the round stands gives no token.
  verified ended(sample_status status) noexcept {
    forget(call(result_.count).record);
    result_.status = status;
    return result_;
  }

  /// The token in place of a draft. The law has taken the memory of what is noted for the acceptance, so the
  /// row is run once more where something is.
  verified replace(target_row& target, std::size_t row, double factor,
                   std::span<const candidate> q) noexcept {
    if (target.status() != sample_status::ok) return ended(target.status());
    const random::words w = random::source{q_.seed(), q_.position()}.at(random::stream::recovery, 0);
    const token_id token = target.recovered(factor, q, std::uint64_t{w[0]} << 32 | w[1]);
    target.note(call(row).record, token);
    if (chain_.plan.feedback != plan_step::joint) {
      target_row again(chain_, rows_[row], q_, call(row));
      if (again.status() != sample_status::ok) return ended(again.status());
      if (!again.count_as_drawn(token)) return ended(sample_status::out_of_memory);
    }
    accept(token);
    return result_;
  }

  const planned& chain_;
  sequence& q_;
  std::span<const logits_view> rows_;
  const draft& drafted_;
  std::span<token_id> out_;
  std::span<const call_options> options_;
  call_options no_options_ = {};
  std::size_t drafts_ = 0;
  verified result_ = {};
};

SLUICE_NEVER_INLINE verified verify_exactly(const planned& chain, sequence& q,
                                            std::span<const logits_view> rows, const draft& drafted,
                                            std::span<token_id> out, std::span<const call_options> options,
                                            verification how) noexcept {
  round_of_drafts round(chain, q, rows, drafted, out, options);
  if (drafted.laws.empty()) return round.without_laws();
  return how == verification::block ? round.block() : round.per_token();
}

SLUICE_IEEE_END

SLUICE_NEVER_INLINE verified verify_round(const standard_plan& chain, sequence& q,
                                          std::span<const logits_view> rows, const draft& drafted,
                                          std::span<token_id> out, std::span<const call_options> options,
                                          verification how) noexcept {
  if (rows.empty() || out.empty()) return {};
  const exact_arithmetic arithmetic;
  return verify_exactly(planned(chain.plan, chain.stages), q, rows, drafted, out, options, how);
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
