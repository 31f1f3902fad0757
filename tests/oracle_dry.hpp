// The oracle's DRY: the definition, position by position, O(n^2).
#pragma once

#include <map>
#include <vector>

#include "oracle_edits.hpp"

namespace tests::oracle {

struct dry_settings {
  float multiplier = 0;
  float base = 1.75f;
  int allowed_length = 2;
  int last_n = -1;
  std::vector<std::vector<int>> breakers = {};
};

/// The fewest tokens that follow a complete breaker inside the window; its length if there is none.
inline std::size_t dry_limit(const std::vector<int>& window, const std::vector<std::vector<int>>& breakers) {
  std::size_t limit = window.size();
  for (const std::vector<int>& breaker : breakers)
    for (std::size_t end = breaker.size(); !breaker.empty() && end <= window.size(); ++end)
      if (std::equal(breaker.begin(), breaker.end(), window.begin() + std::ptrdiff_t(end - breaker.size())))
        limit = std::min(limit, window.size() - end);
  return limit;
}

/// The longest match that each token would go on with, single-token breakers left out; lengths from 1.
inline std::map<int, std::size_t> dry_matches(const std::vector<int>& window,
                                              const std::vector<std::vector<int>>& breakers) {
  const std::size_t n = window.size();
  const std::size_t limit = dry_limit(window, breakers);
  std::map<int, std::size_t> longest;
  for (std::size_t end = 0; end + 1 < n; ++end) {  // window[..end] against window[..n - 1]
    std::size_t length = 0;
    while (length < limit && length <= end && window[end - length] == window[n - 1 - length]) ++length;
    if (length == 0) continue;
    std::size_t& best = longest[window[end + 1]];
    best = std::max(best, length);
  }
  for (const std::vector<int>& breaker : breakers)
    if (breaker.size() == 1) longest.erase(breaker.front());
  return longest;
}

/// base^exponent by repeated multiplication; its cap keeps it finite.
inline real dry_power(float base, std::size_t exponent) {
  if (base > 1.000001) {
    const double cap = std::floor(88.7228391 / std::log(double(base)));
    if (double(exponent) > cap) exponent = static_cast<std::size_t>(cap);
  }
  real power = 1;
  for (std::size_t i = 0; i < exponent; ++i) power *= base;
  return power;
}

inline std::map<int, real> dry_penalties(const history& h, const dry_settings& s) {
  std::map<int, real> penalties;
  const std::vector<int> window(h.tokens.begin() + std::ptrdiff_t(window_begin(h, s.last_n)), h.tokens.end());
  const std::size_t allowed = s.allowed_length == 0 ? 1 : static_cast<std::size_t>(s.allowed_length);
  if (s.multiplier == 0 || s.base < 1 || s.last_n == 0 || window.size() <= allowed) return penalties;
  for (const auto& [id, length] : dry_matches(window, s.breakers))
    if (length >= allowed) penalties[id] = real(s.multiplier) * dry_power(s.base, length - allowed);
  return penalties;
}

inline void dry(row& r, const history& h, const dry_settings& s) {
  const std::map<int, real> penalties = dry_penalties(h, s);
  for (token& t : r.tokens) {
    const auto found = penalties.find(t.id);
    if (found != penalties.end()) t.logit = saturated(real(t.logit) - found->second);
  }
}

}  // namespace tests::oracle
