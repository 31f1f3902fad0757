// One step of a chain, its survivors and its token, in the fewest words. The chain is compiled once, in
// step.cpp: that costs more than the tests that use it.
#pragma once

#include <doctest/doctest.h>

#include <sluice/api.hpp>
#include <sluice/sequence_bodies.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <span>
#include <vector>

#include "rows.hpp"

namespace tests {

inline constexpr float inf = plus_infinity;

inline constexpr std::array every_engine{sluice::truncation_engine::automatic,
                                         sluice::truncation_engine::sort, sluice::truncation_engine::select,
                                         sluice::truncation_engine::rejection};
inline constexpr std::array every_draw{sluice::draw_method::gumbel, sluice::draw_method::softmax};

inline std::vector<float> logits_of(std::initializer_list<double> probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

/// A sequence of seed 1 that has accepted these tokens.
inline sluice::sequence after(std::initializer_list<sluice::token_id> tokens) {
  sluice::sequence sequence(1);
  sequence.accept(std::span<const sluice::token_id>(tokens.begin(), tokens.size()));
  return sequence;
}

/// The standard chain, behind functions that are compiled once.
class stepper {
 public:
  explicit stepper(const sluice::sampling_params& params);

  sluice::sample_result sample(sluice::logits_view row, sluice::sequence& sequence,
                               const sluice::call_options& call = {}) const;
  /// The ranked survivors, in the workspace.
  std::span<const sluice::candidate> distribution(sluice::logits_view row, sluice::sequence& sequence,
                                                  const sluice::call_options& call = {}) const;
  bool prepare(sluice::sequence& sequence, std::size_t vocab_size, sluice::workspace& memory) const;
  /// A copy of the ranked survivors.
  std::vector<sluice::candidate> left(sluice::logits_view row, sluice::sequence& sequence,
                                      const sluice::call_options& call = {}) const;

 private:
  sluice::standard_chain chain_;
};

/// The tokens that a sampler of these parameters draws and accepts, always from the same row.
std::vector<sluice::token_id> generated(const sluice::sampling_params& params, sluice::logits_view row,
                                        std::size_t count);

sluice::problem check(const sluice::sampling_params& params);

inline std::vector<sluice::candidate> left(const sluice::sampling_params& params, sluice::logits_view row,
                                           sluice::sequence sequence = sluice::sequence(1),
                                           const sluice::call_options& call = {}) {
  return stepper(params).left(row, sequence, call);
}

inline sluice::sample_result drawn(const sluice::sampling_params& params, sluice::logits_view row,
                                   sluice::sequence sequence = sluice::sequence(1),
                                   const sluice::call_options& call = {}) {
  return stepper(params).sample(row, sequence, call);
}

/// The ids of the survivors, ascending.
inline std::set<int> ids(const std::vector<sluice::candidate>& survivors) {
  std::set<int> result;
  for (const sluice::candidate& c : survivors) result.insert(c.id);
  return result;
}

/// The logit of a token after the edits; 0 and a failed check where it is not left.
inline float logit_of(const std::vector<sluice::candidate>& survivors, int id) {
  for (const sluice::candidate& c : survivors)
    if (c.id == id) return c.logit;
  FAIL_CHECK("token " << id << " is not left");
  return 0;
}

/// Probabilities by id, 0 where a token is not left.
inline std::vector<double> by_id(const std::vector<sluice::candidate>& survivors, std::size_t size) {
  std::vector<double> result(size, 0.0);
  for (const sluice::candidate& c : survivors)
    result.at(static_cast<std::size_t>(c.id)) = double(c.probability);
  return result;
}

}  // namespace tests
