// One generation, several ways to sample it: a chain is what is done, a sequence for whom, so another chain
// on the same sequence is another phase. Here a model thinks aloud at temperature 1, answers with its best
// tokens, and one call is cooler than its phase. Penalties and random numbers go on through all of it.

#include <sluice/sluice.hpp>

#include <cstdio>
#include <vector>

namespace {

/// Stands for a model: a row that moves with the text.
std::vector<float> forward(const sluice::sequence& text) {
  std::vector<float> row(12);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>((i * 7 + text.tokens().size() * 5) % 12) * 0.4f;
  return row;
}

void say(const char* name, const sluice::standard_chain& chain, sluice::sequence& text, int tokens,
         const sluice::call_options& options = {}) {
  std::printf("%-8s", name);
  for (int i = 0; i < tokens; ++i) {
    const sluice::sample_result next = chain.sample(forward(text), text, options);
    if (!next) break;
    text.accept(next.token);
    std::printf(" %d", next.token);
  }
  std::puts("");
}

}  // namespace

int main() {
  sluice::sampling_params thinking, answering;
  thinking.temperature = 1;
  thinking.min_p = 0.02f;
  answering.temperature = 0;
  answering.repetition_penalty = 1.3f;  // of what was thought, too

  const sluice::standard_chain think(thinking), answer(answering);
  sluice::sequence text(42);
  text.accept_prompt(std::vector<sluice::token_id>{3, 1, 4});
  say("thinks", think, text, 8);
  say("a tag", think, text, 2, {.temperature = 0.1f});  // this call's own temperature
  say("thinks", think, text, 4);
  say("answers", answer, text, 6);
}
