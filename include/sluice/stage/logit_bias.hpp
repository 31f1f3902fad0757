#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/params/check.hpp>
#include <sluice/row.hpp>
#include <sluice/stage/concepts.hpp>

namespace sluice::inline v1 {

/// Token bias: l += bias. -inf bans a token and beats +inf; a +inf that is left forces: every other token
/// goes. An id named twice adds up, in float and in written order; the call's own biases follow. Ids outside
/// the row are passed over. Cost: the tokens named.
struct logit_bias {
  static constexpr place where = place::logit_bias;
  std::vector<token_bias> biases = {};

  problem check() const { return detail::check_biases("logit_bias", biases); }
  /// One entry an id, in ascending order; the ids are not negative.
  void build() {
    std::vector<std::uint64_t> order;  // id << 32 | place: the written order of an id's biases is kept
    for (const token_bias& entry : biases) order.push_back(std::uint64_t(entry.token) << 32 | order.size());
    std::sort(order.begin(), order.end());
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
  void operator()(row& r) const noexcept { r.add_biases(biases); }
};
static_assert(row_stage<logit_bias>);

}  // namespace sluice::inline v1
