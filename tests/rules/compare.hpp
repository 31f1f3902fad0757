// A whole chain against the oracle: what one step gives, compared and reported.
#pragma once

#include <sluice/sluice.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness.hpp"
#include "oracle_chain.hpp"

namespace tests {

/// How the row comes in: whole, or as pairs of id and logit in no order, absent tokens left out.
enum class door { dense, sparse };

/// One step of a generation: everything that a token depends on.
struct trial {
  sluice::sampling_params params = {};
  std::vector<float> logits = {};
  std::vector<std::uint32_t> mask = {};
  std::vector<sluice::token_bias> call_bias = {};
  std::optional<float> call_temperature = {};
  std::vector<sluice::token_id> prompt = {}, generated = {};
  std::uint64_t seed = 0, start = 0;  // the position that the sequence begins at
  door by = door::dense;

  oracle::situation situation() const {
    oracle::situation result{.logits = logits, .mask = mask, .call_bias = {}, .past = {}, .now = {}};
    for (const sluice::token_bias& b : call_bias) result.call_bias.push_back({b.token, b.bias});
    result.past.tokens = prompt;
    result.past.tokens.insert(result.past.tokens.end(), generated.begin(), generated.end());
    result.past.from_prompt.assign(prompt.size(), true);
    result.now = {seed, start + result.past.tokens.size()};
    return result;
  }
};

std::string to_text(const trial& t);

/// What the library gives.
struct taken {
  sluice::sample_result drawn = {};
  std::vector<sluice::candidate> left = {};  // the distribution
};

/// By any chain, from any row that stands for the trial's.
template <class Chain>
taken take_by(const Chain& chain, sluice::logits_view row, const trial& t) {
  sluice::sequence sequence(t.seed, t.start);
  sequence.accept_prompt(std::span<const sluice::token_id>(t.prompt));
  sequence.accept(std::span<const sluice::token_id>(t.generated));
  sluice::call_options call;
  if (!t.mask.empty()) call.mask = sluice::token_mask(t.mask);
  call.bias = t.call_bias;
  call.temperature = t.call_temperature;
  taken result;
  result.drawn = chain.sample(row, sequence, call);
  const auto left = chain.distribution(row, sequence, call);
  result.left.assign(left.begin(), left.end());
  return result;
}

taken take(const trial& t);
sluice::problem check(const sluice::sampling_params& params);

/// A step of these parameters and logits, seed 1.
inline taken take(const sluice::sampling_params& params, const std::vector<float>& logits) {
  trial t;
  t.params = params;
  t.logits = logits;
  t.seed = 1;
  return take(t);
}

/// Counts trials and keeps the smallest that fails.
class comparison {
 public:
  explicit comparison(double near = 1e-6) : near_(near) {}

  void operator()(const trial& t) { (*this)(t, t); }
  /// The library is asked `t`, the oracle `expected`: they should differ in a mutant only.
  void operator()(const trial& t, const trial& expected);

  const harness_report& report() const { return report_; }

 private:
  void check_draw(const oracle::outcome& expected, const sluice::sample_result& result, const trial& asked,
                  const trial& t);
  void fail(const std::string& what, const trial& t);

  double near_;
  harness_report report_;
};

}  // namespace tests
