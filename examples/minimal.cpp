// The shortest program: a row of logits, ten tokens drawn from it. The README shows this program, and a test
// holds the two against each other.

#include <sluice/sluice.hpp>

#include <cstdio>
#include <vector>

int main() {
  sluice::sampling_params params;  // every stage off
  params.temperature = 0.8f;
  params.top_k = 40;
  params.min_p = 0.05f;
  params.seed = 42;

  sluice::sampler sampler(params);  // a bad value throws: "top_p must be in [0, 1], got 1.5"
  sampler.accept_prompt(std::vector<sluice::token_id>{1, 5, 2});

  const std::vector<float> logits = {1.5f, -0.5f, 3.0f, 2.25f, 0.0f, 2.5f};  // a row of your model
  for (int step = 0; step < 10; ++step) {
    const sluice::sample_result next = sampler.next(logits);  // draws and accepts
    if (!next) return 1;                                      // next.status says why
    std::printf("%d ", next.token);
  }
}
