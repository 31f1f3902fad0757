#pragma once

// The members of a row that open it and write it. Statistics: row/statistics.hpp; filters: cut/.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/row/edit.hpp>
#include <sluice/row/open.hpp>
#include <sluice/row/row.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

SLUICE_NEVER_INLINE row::row(const logits_view& logits, const call_options& call, sluice::workspace& memory,
                             truncation_engine engine) noexcept
    : blocks_(memory, kernel::vocab_of(logits)), call_bias_(call.bias), engine_(engine) {
  if (vocab_size() > detail::longest_row) {
    fail(sample_status::row_too_long);
  } else if (!blocks_.lay_out(std::max(vocab_size(), logits.size()), call.bias.size())) {
    fail(sample_status::out_of_memory);
  }
  saw_nan_ =
      status_ == sample_status::ok ? blocks_.open(logits, call.mask) : kernel::allowed_nan(logits, call.mask);
}

inline float row::reference() noexcept {
  if (!std::exchange(reference_known_, true)) reference_ = max();
  return reference_;
}

template <class F>
inline void row::edit(token_id token, F&& f) noexcept {
  blocks_.materialize_threshold();
  row_blocks::editor(blocks_).edit(token, f);
  reference_known_ = false;
}

template <class Entries, class F>
inline void row::edit(const Entries& entries, F&& f) noexcept {
  constexpr std::ptrdiff_t ahead = 8;  // the logits of tokens further on are fetched meanwhile
  blocks_.materialize_threshold();
  row_blocks::editor editor(blocks_);
  const auto* const end = std::to_address(entries.end());
  for (const auto* entry = std::to_address(entries.begin()); entry != end; ++entry) {
    if (end - entry > ahead) editor.fetch(entry[ahead].token);
    editor.edit(entry->token, [&f, entry](double logit) { return f(*entry, logit); });
  }
  reference_known_ = false;
}

template <class F>
inline void row::keep_if(F&& f) noexcept {
  reference();
  blocks_.list_kept(kernel::lowest, f);
}

inline void row::remove(token_id token) noexcept {
  reference();
  row_blocks::editor(blocks_).remove(token);
}

inline void row::remove(std::span<const candidate> tokens) noexcept {
  reference();
  row_blocks::editor editor(blocks_);
  for (const candidate& c : tokens) editor.remove(c.id);
}

SLUICE_NEVER_INLINE void row::replace(std::span<candidate> candidates) noexcept {
  std::sort(candidates.data(), candidates.data() + candidates.size(),
            [](const candidate& a, const candidate& b) { return a.id < b.id; });
  blocks_.list_written([this, candidates](token_id* ids, float* logits) {
    std::size_t count = 0;
    for (const candidate& c : candidates) {
      const bool finite = !kernel::is_nan(c.logit) && !kernel::is_infinite(c.logit);
      const bool inside = c.id >= 0 && std::size_t(c.id) < vocab_size();
      if (!finite || !inside || (count > 0 && ids[count - 1] == c.id)) continue;
      ids[count] = c.id;
      logits[count++] = c.logit;
    }
    return count;
  });
  reference_known_ = false;
}

inline void row::set_temperature(double t) noexcept {
  if (t > 0) {
    temperature_ = t;
  } else {
    keep_top(1);
  }
}

}  // namespace sluice::inline v1::inline SLUICE_ISA

namespace sluice::inline v1::detail::inline SLUICE_ISA {

SLUICE_NEVER_INLINE void row_internals::apply_temperature(row& r) noexcept {
  const double t = std::exchange(r.temperature_, 1.0);
  if (t == 1) return;
  r.blocks_.edit_all([t](double logit) { return logit / t; });
  r.reference_known_ = false;
}

SLUICE_NEVER_INLINE void row_internals::discount(row& r, std::span<const candidate> removable,
                                                 double probability) noexcept {
  r.reference();
  r.blocks_.mark(removable);
  r.discount_ = probability;
}

inline void row_internals::forbid(row& r, std::span<const token_id> tokens) noexcept {
  row_blocks::editor editor(r.blocks_);
  for (const token_id token : tokens) editor.remove(token);
}

template <class F>
inline void row_internals::reshape(row& r, F&& f) noexcept {
  r.temperature_ = 1;
  r.reference_known_ = false;
  double* const notes = r.blocks_.notes();
  r.blocks_.list_written([&](token_id* ids, float* logits) {
    std::size_t count = 0;
    r.each([&](token_id id, float logit) {
      logits[count] = f(logit, notes[count]);
      ids[count++] = id;
    });
    return count;
  });
}

inline void row_internals::add_biases(row& r, std::span<const token_bias> request) noexcept {
  if (!request.empty() || !r.call_bias_.empty()) add_sorted_biases(r, request);
  if (r.status_ == sample_status::ok && r.blocks_.may_be_infinite()) keep_forced(r);
}

/// The request's biases have one entry an id, in ascending order. The call's are grouped by id, their written
/// order kept.
SLUICE_NEVER_INLINE void row_internals::add_sorted_biases(row& r,
                                                          std::span<const token_bias> request) noexcept {
  const std::span<const token_bias> own = std::exchange(r.call_bias_, {});
  auto* const calls = r.blocks_.scratch().take<std::uint64_t>(own.size());  // id << 32 | place
  std::size_t count = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (kernel::is_nan(own[i].bias)) return r.fail(sample_status::invalid_bias);
    if (own[i].token >= 0 && std::size_t(own[i].token) < r.vocab_size())
      calls[count++] = std::uint64_t(own[i].token) << 32 | i;
  }
  sort_ascending(calls, count);
  const auto named = [request](token_id token) noexcept -> kernel::any_float {
    const auto at = std::lower_bound(request.begin(), request.end(), token,
                                     [](const token_bias& entry, token_id id) { return entry.token < id; });
    return at != request.end() && at->token == token ? at->bias : 0.0f;
  };
  r.blocks_.materialize_threshold();
  row_blocks::editor editor(r.blocks_);
  for (const token_bias& entry : request) {
    const auto key = std::uint64_t(std::uint32_t(entry.token)) << 32;
    const auto* const at = std::lower_bound(calls, calls + count, key);
    if (at == calls + count || *at >> 32 != key >> 32) editor.bias(entry.token, entry.bias);
  }
  for (std::size_t i = 0; i < count;) {
    const auto token = token_id(calls[i] >> 32);
    float bias = named(token);
    for (; i < count && token_id(calls[i] >> 32) == token; ++i)
      bias = kernel::joined_bias(bias, own[calls[i] & 0xffffffffu].bias);
    editor.bias(token, bias);
  }
  r.reference_known_ = false;
}

/// +inf forces: those tokens alone are left, with logit 0.
SLUICE_NEVER_INLINE void row_internals::keep_forced(row& r) noexcept {
  if (!(r.max() > std::numeric_limits<float>::max())) return;
  r.blocks_.list_written([&r](token_id* ids, float* logits) {
    std::size_t forced = 0;
    r.each([&](token_id id, const float& logit) {
      if (!kernel::is_infinite(logit)) return;
      ids[forced] = id;
      logits[forced++] = 0;
    });
    return forced;
  });
  r.reference_known_ = false;
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
