// The oracle's XTC: which tokens the coin removes, and the coin.
#pragma once

#include <set>
#include <span>

#include "oracle_row.hpp"

namespace tests::oracle {

struct xtc_settings {
  float probability = 0;
  float threshold = 0.1f;
  std::span<const int> protected_tokens = {};
  int min_keep = 0;

  bool off() const { return probability == 0 || threshold > 0.5f; }
};

/// Candidates have m > threshold * M. If there are two or more, all but the lowest in rank go; protected
/// tokens stay, which is settled after the lowest is; and nothing goes where fewer than min_keep tokens would
/// remain.
inline std::set<int> xtc_removable(row& r, const xtc_settings& s) {
  const std::vector<token> order = ranked(r);
  const masses m = masses_of(order);
  const std::uint64_t cut = times(s.threshold, m.total).whole;  // m > floor(cut) iff m > cut
  const bool exact = masses_are_exact(order);
  const real exact_cut = s.threshold == 0 ? real(0.5) : real(s.threshold) * real(m.total);
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const real mass = std::ldexp(exponential_of_gap(order[i].logit, order[0].logit), 44);
    if (!exact) r.judged(mass, exact_cut, exact_cut);
    if (m.of[i] > cut) ++candidates;
  }
  std::set<int> removable;
  for (std::size_t i = 0; i + 1 < candidates; ++i) removable.insert(order[i].id);
  for (const int id : s.protected_tokens) removable.erase(id);
  if (real(order.size()) - real(removable.size()) < s.min_keep) removable.clear();
  return removable;
}

/// One coin a step; fires iff it is below the probability.
inline void xtc(row& r, const xtc_settings& s, double coin) {
  if (s.off()) return;
  const std::set<int> removable = xtc_removable(r, s);
  if (coin < double(s.probability))
    std::erase_if(r.tokens, [&](token t) { return removable.contains(t.id); });
}

}  // namespace tests::oracle
