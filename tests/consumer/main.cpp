// What every consumer builds: one token out of a row.
#include <cstdio>
#include <sluice/sluice.hpp>
#include <vector>

#ifndef FLAG_OF_THE_USER
#error "the flags of the user's project are gone"
#endif

int main() {
  sluice::sampler sampler(sluice::sampling_params{.seed = 42, .temperature = 0.8f, .top_k = 1});
  const std::vector<float> logits{0, 3, 1};
  const sluice::sample_result next = sampler.next(logits);
  std::printf("token %d\n", next.token);
  return next.token == 1 ? 0 : 1;
}
