#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sluice/cut/nucleus.hpp>
#include <sluice/draw/gumbel.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

SLUICE_IEEE_BEGIN

/// The winner, how many draws it took and how many blocks they opened; `fell_back` where the rounds did not
/// suffice.
struct rejected {
  kernel::rank_key winner = 0;
  int rounds = 0;
  std::size_t opened = 0;
  bool fell_back = false;
};

/// Enough for any row: the interval of 64-bit keys halves in each round but the first two.
inline constexpr int most_rounds = 66;

/// The Gumbel-max draw from a nucleus of mass top_p without its cut, by dual-pivot rejection; at temperature
/// t. The winner among all tokens above a lower pivot stands if it is in the nucleus; else it becomes the
/// lower pivot, and so does a key above it that is outside as well: first one that is cheap to test, and from
/// the third round on the middle of the interval of keys. Since each token's noise is fixed, the token that
/// stands is the winner among the survivors of the cut, whatever the pivots were. Where `rounds` do not
/// suffice, the exact cut decides.
inline rejected from_nucleus(row& r, random::source from, const nucleus& n, double t,
                             int rounds = most_rounds) noexcept {
  r.reference();
  const cut::nucleus_test inside(r, n.top_p, n.top_p_min_keep);
  kernel::rank_key high = inside.kept_by_min_keep(), low = cut::last_beside_mass(r, n);
  if (low != 0) --low;
  r.set_temperature(t);
  gumbel_max race(r, from);
  for (int round = 1; round <= rounds; ++round) {
    const kernel::rank_key candidate = race.winner(low);
    if (candidate >= high || inside(candidate)) return {candidate, round, race.opened()};
    low = candidate;
    const kernel::rank_key pivot = round == 1   ? inside.first_pivot()
                                   : round == 2 ? 0
                                                : low + (high - low) / 2;
    if (pivot > low && pivot < high) (inside(pivot) ? high : low) = pivot;
  }
  const kernel::rank_key winner = race.winner(std::max(low + 1, inside.last_inside()) - 1);
  return {winner, rounds + 1, race.opened(), true};
}

/// The cut that rejection makes, for a draw that needs the survivors' masses.
inline void keep_nucleus_by_test(row& r, const nucleus& n) noexcept {
  r.reference();
  const cut::nucleus_test inside(r, n.top_p, n.top_p_min_keep);
  const kernel::rank_key beside = cut::last_beside_mass(r, n);
  cut::keep_from(r, std::max(beside, inside.last_inside()));
}

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::draw

#include <sluice/macros_back.inc>
