// Compiled without exceptions and RTTI: samples a row; with an argument it shows a bad parameter, and aborts.
#include <array>
#include <sluice/sluice.hpp>

int main(int argc, char**) {
  sluice::sampling_params params{.seed = 42, .temperature = 0.8f, .top_k = 2};
  if (argc > 1) params.top_p = 1.5f;
  sluice::sampler sampler(params);
  const std::array<float, 4> logits{1, 2, 0, -1};
  const sluice::sample_result next = sampler.next(logits);
  return next && (next.token == 0 || next.token == 1) ? 0 : 1;
}
