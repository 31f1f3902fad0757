#pragma once

// The cut by entropy, which top-h makes: prefixes of the ranking, longer and longer, until one has too much.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/cut/by_rank.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/kernel/arithmetic/mass.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::cut {

SLUICE_IEEE_BEGIN

/// The last key of the longest prefix of the ranking whose renormalised entropy is at most `most` nats; at
/// least that of the best token, in a row that is not empty. With M the mass of the prefix its entropy is
/// ln(M / 2^44) - (sum m (l - max)) / M, summed in rank order. A longer prefix has more of it but for
/// rounding, so the walk ends where it is above `most` by more than the sums can err.
SLUICE_NEVER_INLINE kernel::rank_key last_of_entropy(row& r, double most) noexcept {
  constexpr double rounding =
      1e-6;  // nats: a million terms, each within 2^-53 of at most 31.2 nats of the mass
  const double max = double(r.max());
  for (std::size_t known = 0, count = std::min<std::size_t>(64, r.size());;
       known = count, count = std::min(8 * count, r.size())) {
    const std::span<kernel::rank_key> keys = first_keys(r, count);
    sort_by_rank(keys);
    kernel::rank_key last = keys[0];
    std::uint64_t mass = 0;
    double weighted = 0;
    for (const kernel::rank_key key : keys) {
      const double below = double(kernel::logit_of(key)) - max;
      const std::uint64_t m = kernel::mass(below);
      mass += m;
      weighted += double(m) * below;
      const double entropy = kernel::ln(double(mass) / kernel::mass_one) - weighted / double(mass);
      if (entropy <= most) last = key;
      // What has no mass adds no entropy: with the first such token all stay, or none.
      if (m == 0) return entropy <= most ? 0 : last;
      if (entropy > most + rounding) return last;
    }
    if (count == r.size() || known == count) return last;
  }
}

/// Keeps that prefix.
inline void keep_entropy(row& r, double most) noexcept { keep_from(r, last_of_entropy(r, most)); }

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::cut

#include <sluice/macros_back.inc>
