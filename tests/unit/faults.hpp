// A fault that a public system has had is a test case of its sentence in faults.tsv. The macro notes the
// sentence, so that table and tests can be held against each other.
#pragma once

#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rows.hpp"

#define FAULT_CASE(sentence)                                                 \
  static const bool DOCTEST_ANONYMOUS(fault_) = tests::note_fault(sentence); \
  TEST_CASE(sentence)

namespace tests {

inline std::set<std::string>& noted_faults() {
  static std::set<std::string> sentences;
  return sentences;
}

/// False where two tests have one sentence.
inline bool note_fault(const char* sentence) { return noted_faults().insert(sentence).second; }

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

/// The ranked survivors of one step.
inline std::vector<sluice::candidate> left(const sluice::sampling_params& params, sluice::logits_view row,
                                           sluice::sequence sequence = sluice::sequence(1),
                                           const sluice::call_options& call = {}) {
  const sluice::standard_chain chain(params);
  const auto view = chain.distribution(row, sequence, call);
  return {view.begin(), view.end()};
}

/// Their ids, ascending.
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

inline sluice::sample_result drawn(const sluice::sampling_params& params, sluice::logits_view row,
                                   sluice::sequence sequence = sluice::sequence(1),
                                   const sluice::call_options& call = {}) {
  return sluice::standard_chain(params).sample(row, sequence, call);
}

inline sluice::sequence after(std::initializer_list<sluice::token_id> tokens) {
  sluice::sequence sequence(1);
  sequence.accept(std::span<const sluice::token_id>(tokens.begin(), tokens.size()));
  return sequence;
}

}  // namespace tests
