// One row, one chain, two libraries: which tokens survive, and with what probabilities.
#pragma once

#include <llama.h>

#include <cstddef>
#include <sluice/api.hpp>
#include <span>
#include <string>
#include <vector>

#include "../support.hpp"
#include "chain.hpp"

namespace tests {

/// The surviving tokens by ascending id. `logit` is not compared.
using law = std::vector<sluice::candidate>;

using token_ids = std::vector<sluice::token_id>;

/// sluice's law. The order of `params` names the stages.
law ours(std::span<const float> row, const sluice::sampling_params& params,
         std::span<const int> history = {});

/// llama.cpp's law for the same parameters: its samplers in the order of `params`, the logit bias first, and
/// at the end `dist`, whose probabilities they are. A coin must be forced: xtc_probability 0 or 1.
law theirs(std::span<const float> row, const sluice::sampling_params& params,
           std::span<const int> history = {});

/// An array of candidates over a row: every token, by id.
std::vector<llama_token_data> candidates(std::span<const float> row);
llama_token_data_array array_of(std::vector<llama_token_data>& data);

token_ids ids(const law& l);
std::string to_text(const sluice::sampling_params& params);

/// What a series of comparisons came to.
struct tally {
  std::size_t rows = 0, left_out = 0;
  double largest = 0;  // difference of two probabilities
};

/// Of one row. `left_out`: the survivors differ, but the cut depends on less than 1e-4, in a logit or a
/// parameter. `difference`: of two probabilities, where the survivors are the same.
struct verdict {
  enum { same, left_out, different } of = same;
  double difference = 0;
  std::size_t survivors_here = 0, survivors_there = 0;
};

/// Same survivors, probabilities within 1e-5: of sluice with `here` and llama.cpp with `there`.
verdict judge(std::span<const float> row, const sluice::sampling_params& here,
              const sluice::sampling_params& there, std::span<const int> history = {});

/// Adds to the tally the verdict on one set of parameters; a row that differs fails the test.
void compare(tally& t, std::span<const float> row, const sluice::sampling_params& params,
             std::span<const int> history = {});

/// At most one row in fifty was left out; of fewer than fifty at most one.
void check_tally(const tally& t);

/// Prints a tally beside its name, for the record.
void report(const std::string& name, const tally& t);

}  // namespace tests
