// A chain with a stage of one's own. The stage is in top_a.hpp; the chain checks at compile time that it
// stands in its place, and treats it as one of the library's. Prints the law of the next token, then ten
// tokens drawn from it.
#include <array>
#include <cstdio>

#include "top_a.hpp"

int main() {
  const sluice::chain chain{sluice::top_k{.k = 40}, top_a{.a = 0.3f}, sluice::temperature{.t = 0.8f}};
  const std::array<float, 6> logits = {1.5f, -0.5f, 3.0f, 2.25f, 0.0f, 2.5f};  // a row of your model

  sluice::sequence sequence(42);  // the seed
  for (const sluice::candidate& left : chain.distribution(logits, sequence))
    std::printf("token %d with probability %.3f\n", left.id, double(left.probability));

  for (int step = 0; step < 10; ++step) {
    const sluice::sample_result next = chain.sample(logits, sequence);
    if (!next) return 1;  // next.status says why
    sequence.accept(next.token);
    std::printf("%d ", next.token);
  }
  std::printf("\n");
}
