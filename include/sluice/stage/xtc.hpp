#pragma once

#include <algorithm>
#include <vector>

#include <sluice/cut/by_mass.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// XTC, exclude top choices (p-e-w, text-generation-webui #6335): with the given probability, one coin a
/// step, removes every token with p > threshold but the lowest of them in rank. Fewer than two such tokens,
/// or fewer than min_keep that would remain: nothing happens. Protected tokens are never removed; which one
/// is lowest is settled before protection is looked at. probability and threshold in [0, 1]; probability 0 or
/// a threshold above .5 is off. The argmax may go; ties fall by id. `marginal` draws no coin: the draw weighs
/// the removable tokens so that one draw has the law of both, as far as the masses of the others are more
/// than a few units of 2^-44 (a threshold near 0 may leave less); not where scatter, dynamic temperature or a
/// feedback draw follows, which `check` refuses and a chain by hand does not look at. Cost: a total of
/// masses, and a look at no more than 1 / threshold tokens.
struct xtc {
  static constexpr place where = place::xtc;
  static constexpr stage_kind kind = stage_kind::filter;
  static constexpr stage_name name = {"xtc", 'x'};
  float probability = 0;
  float threshold = 0.1f;
  std::vector<token_id> protected_tokens = {};
  bool marginal = false;
  int min_keep = 0;

  static constexpr auto parameters = std::tuple{
      parameter{"xtc_probability", &xtc::probability, &sampling_params::xtc_probability,
                detail::unit_interval},
      parameter{"xtc_threshold", &xtc::threshold, &sampling_params::xtc_threshold, detail::unit_interval},
      parameter{"xtc_marginal", &xtc::marginal, &sampling_params::xtc_marginal},
      parameter{"xtc_protected", &xtc::protected_tokens, &sampling_params::xtc_protected},
      parameter{"min_keep", &xtc::min_keep, &sampling_params::min_keep, detail::from_zero}};

  void build() {
    // Once a chain; less to compile than std::sort.
    std::make_heap(protected_tokens.begin(), protected_tokens.end());
    std::sort_heap(protected_tokens.begin(), protected_tokens.end());
  }
  bool active() const noexcept { return probability > 0 && threshold <= 0.5f; }

  void operator()(row& r, const sequence& q) const noexcept {
    if (!marginal && !random::coin({q.seed(), q.position()}, random::stream::xtc_coin, probability)) return;
    std::span<candidate> likely = cut::heavier_than(r, threshold);
    if (likely.size() < 2) return;
    const auto removable_end = std::remove_if(likely.begin(), likely.end() - 1, [this](const candidate& c) {
      return std::binary_search(protected_tokens.begin(), protected_tokens.end(), c.id);
    });
    const std::span<candidate> removable(likely.begin(), removable_end);
    if (r.size() - removable.size() < std::size_t(min_keep)) return;
    if (marginal && probability < 1)
      return detail::row_internals::discount(r, removable, double(probability));
    r.remove(removable);
  }
};
static_assert(history_stage<xtc>);

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
