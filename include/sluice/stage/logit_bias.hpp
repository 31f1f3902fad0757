#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/row/members.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Token bias: l += bias. -inf bans a token and beats +inf; a +inf that is left forces: every other token
/// goes. An id named twice adds up, in float and in written order; the call's own biases follow. Ids outside
/// the row are passed over. Cost: the tokens named.
struct logit_bias {
  static constexpr place where = place::logit_bias;
  static constexpr stage_kind kind = stage_kind::edit;
  std::vector<token_bias> biases = {};

  static constexpr auto parameters =
      std::tuple{parameter{"logit_bias", &logit_bias::biases, &sampling_params::logit_bias},
                 request_parameter{"language_bias", &sampling_params::language_bias},
                 request_parameter{"suppressed_tokens", &sampling_params::suppressed_tokens}};

  /// Of a request: logit_bias, or language_bias where there is none; suppressed tokens last, -inf wins.
  static logit_bias from(const sampling_params& p) {
    logit_bias made{.biases = p.logit_bias.empty() ? p.language_bias : p.logit_bias};
    for (const token_id token : p.suppressed_tokens) made.biases.push_back({token, kernel::infinite(-1)});
    return made;
  }
  /// One entry an id, in ascending order; the ids are not negative.
  void build() {
    std::vector<std::uint64_t> order;  // id << 32 | place: the written order of an id's biases is kept
    for (const token_bias& entry : biases) order.push_back(std::uint64_t(entry.token) << 32 | order.size());
    sort_ascending(order.data(), order.size());
    std::vector<token_bias> sums;
    for (const std::uint64_t at : order) {
      const token_bias& entry = biases[at & 0xffffffffu];
      if (sums.empty() || sums.back().token != entry.token) {
        sums.push_back(entry);
      } else {
        sums.back().bias = kernel::joined_bias(sums.back().bias, entry.bias);
      }
    }
    biases = std::move(sums);
  }
  bool active() const noexcept { return !biases.empty(); }
  void operator()(row& r) const noexcept { detail::row_internals::add_biases(r, biases); }
};
static_assert(row_stage<logit_bias>);

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
