#pragma once

#include <algorithm>
#include <vector>

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
  /// One entry an id, in ascending order.
  void build() {
    std::stable_sort(biases.begin(), biases.end(),
                     [](const token_bias& a, const token_bias& b) { return a.token < b.token; });
    std::size_t count = 0;
    for (const token_bias& entry : biases) {
      if (count != 0 && biases[count - 1].token == entry.token) {
        biases[count - 1].bias = kernel::joined_bias(biases[count - 1].bias, entry.bias);
      } else {
        biases[count++] = entry;
      }
    }
    biases.resize(count);
  }
  bool active() const noexcept { return !biases.empty(); }
  void operator()(row& r) const noexcept { r.add_biases(biases); }
};
static_assert(row_stage<logit_bias>);

}  // namespace sluice::inline v1
