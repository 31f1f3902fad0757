// The oracle's edits: mask, bias, the rule for non-finite logits, repetition, frequency and presence.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "oracle_row.hpp"

namespace tests::oracle {

struct bias {
  int token = -1;
  float value = 0;
};

/// Bit i % 32 of word i / 32, set = allowed; past the end is not allowed; no words, no mask.
inline bool allows(std::span<const std::uint32_t> mask, std::size_t id) {
  if (mask.empty()) return true;
  return id / 32 < mask.size() && (mask[id / 32] >> (id % 32) & 1u) != 0;
}

inline bool saw_nan(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  for (std::size_t id = 0; id < logits.size(); ++id)
    if (std::isnan(logits[id]) && allows(mask, id)) return true;
  return false;
}

/// `logit_bias`, or `language_bias` where that is empty, then the call's own, summed in float in that order;
/// a -inf beats everything, and a suppressed token is -inf whatever else names it.
inline std::map<int, float> compose_bias(std::span<const bias> logit_bias,
                                         std::span<const bias> language_bias, std::span<const bias> call_bias,
                                         std::span<const int> suppressed) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::map<int, float> sums;
  const auto add = [&](std::span<const bias> entries) {
    for (const bias& b : entries) {
      float& sum = sums[b.token];
      sum = sum == -inf || b.value == -inf ? -inf : sum + b.value;
    }
  };
  add(logit_bias.empty() ? language_bias : logit_bias);
  add(call_bias);
  for (const int id : suppressed) sums[id] = -inf;
  return sums;
}

/// The row as the first penalty sees it: masked, biased, only finite logits.
inline row enter(std::span<const float> logits, std::span<const std::uint32_t> mask,
                 const std::map<int, float>& sums) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::vector<std::pair<int, float>> present;
  bool any_infinite = false;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    float l = logits[id];
    if (!allows(mask, id) || std::isnan(l) || l == -inf) continue;
    const auto found = sums.find(static_cast<int>(id));
    if (found != sums.end()) {
      const float b = found->second;
      if (b == -inf) continue;
      if (b == inf) l = inf;
      if (l != inf) l = saturated(real(l) + real(b));
    }
    any_infinite = any_infinite || l == inf;
    present.emplace_back(static_cast<int>(id), l);
  }
  row r;
  for (const auto& [id, l] : present) {
    if (!any_infinite) r.tokens.push_back({id, l});
    if (any_infinite && l == inf) r.tokens.push_back({id, 0.0f});
  }
  return r;
}

/// The history of a generation: all tokens, and how each came in.
struct history {
  std::vector<int> tokens;
  std::vector<bool> from_prompt;  // as long as tokens, or empty: none of them

  bool is_prompt(std::size_t i) const { return i < from_prompt.size() && from_prompt[i]; }
};

/// Where the last n tokens begin; -1 is the whole history.
inline std::size_t window_begin(const history& h, int last_n) {
  if (last_n < 0) return 0;
  return h.tokens.size() - std::min(h.tokens.size(), static_cast<std::size_t>(last_n));
}

inline std::set<int> distinct(const history& h, int last_n) {
  return {h.tokens.begin() + static_cast<std::ptrdiff_t>(window_begin(h, last_n)), h.tokens.end()};
}

enum class repetition_form { plain, normalized };

/// l > 0 ? l / r : l * r for each distinct token of the window; normalised: L + r (l - L), L = ln sum e^l.
inline void repetition(row& r, const history& h, float penalty, int last_n, repetition_form form) {
  if (penalty == 1) return;
  const float max = r.max();
  real sum = 0;
  for (const token& t : r.tokens) sum += exponential_of_gap(t.logit, max);
  const real log_sum = max + std::log(sum);
  const std::set<int> seen = distinct(h, last_n);
  for (token& t : r.tokens) {
    if (!seen.contains(t.id)) continue;
    const double l = t.logit;
    const double plain = l > 0 ? l / double(penalty) : l * double(penalty);
    const real normalized = log_sum + real(penalty) * (real(l) - log_sum);
    t.logit = saturated(form == repetition_form::plain ? real(plain) : normalized);
  }
}

enum class counted { everything, generated };

/// The number of times that each token stands in the window.
inline std::map<int, int> counts(const history& h, int last_n, counted what) {
  std::map<int, int> result;
  for (std::size_t i = window_begin(h, last_n); i < h.tokens.size(); ++i)
    if (what == counted::everything || !h.is_prompt(i)) ++result[h.tokens[i]];
  return result;
}

/// l -= frequency * count + presence * [count > 0]
inline void frequency_presence(row& r, const history& h, float frequency, float presence, int last_n,
                               counted what) {
  const std::map<int, int> count = counts(h, last_n, what);
  for (token& t : r.tokens) {
    const auto found = count.find(t.id);
    if (found == count.end()) continue;
    const double penalty = double(frequency) * found->second + double(presence);
    if (penalty != 0) t.logit = saturated(double(t.logit) - penalty);
  }
}

}  // namespace tests::oracle
