// The oracle's chain: the fixed order, any other order, both truncation rules, greedy.
#pragma once

#include <sluice/params.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "oracle_draw.hpp"
#include "oracle_edits.hpp"
#include "support.hpp"

namespace tests::oracle {

/// What one step of a generation is given.
struct situation {
  std::span<const float> logits;
  std::span<const std::uint32_t> mask = {};
  std::vector<bias> call_bias = {};
  history past = {};
  place_in_time now = {};
};

struct outcome {
  bool saw_nan = false;
  std::vector<chance> law;   // ranked; empty: no token is left
  real distance = infinite;  // of the nearest decision to its cut
  draw_input input;          // what the draw draws from; meaningless where the law is empty

  bool empty() const { return law.empty(); }

  drawn draw(sluice::draw_method method, const place_in_time& now) const;
};

outcome run(const sluice::sampling_params& params, const situation& given);

/// The names that an order may hold, in the fixed order.
std::vector<std::string_view> stage_names();

/// 0: none.
char letter_of(std::string_view name);

/// Whether the stage is one of those that joint truncation takes together.
bool cuts(std::string_view name);

/// Random parameters of every stage, each of them now and then neutral, for a row of that size and that
/// history.
void randomise_stages(generator& g, sluice::sampling_params& params, std::size_t size,
                      const std::vector<int>& past_tokens);

}  // namespace tests::oracle
