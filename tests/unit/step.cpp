#include "step.hpp"

#include <sluice/sluice.hpp>

namespace tests {

stepper::stepper(const sluice::sampling_params& params) : chain_(params) {}

sluice::sample_result stepper::sample(sluice::logits_view row, sluice::sequence& sequence,
                                      const sluice::call_options& call) const {
  return chain_.sample(row, sequence, call);
}

std::span<const sluice::candidate> stepper::distribution(sluice::logits_view row, sluice::sequence& sequence,
                                                         const sluice::call_options& call) const {
  return chain_.distribution(row, sequence, call);
}

bool stepper::prepare(sluice::sequence& sequence, std::size_t vocab_size, sluice::workspace& memory) const {
  return chain_.prepare(sequence, vocab_size, &memory);
}

std::vector<sluice::candidate> stepper::left(sluice::logits_view row, sluice::sequence& sequence,
                                             const sluice::call_options& call) const {
  const auto view = distribution(row, sequence, call);
  return {view.begin(), view.end()};
}

std::vector<sluice::token_id> generated(const sluice::sampling_params& params, sluice::logits_view row,
                                        std::size_t count) {
  sluice::sampler sampler(params);
  std::vector<sluice::token_id> tokens;
  while (tokens.size() < count) tokens.push_back(sampler.next(row).token);
  return tokens;
}

sluice::problem check(const sluice::sampling_params& params) { return sluice::check(params); }

}  // namespace tests
