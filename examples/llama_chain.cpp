// A program of llama.cpp that swaps its sampler for sluice's. Three ways, from the smallest change on:
//   1. `make_sampler` in place of the llama_sampler_init_... calls: the rest of the program stays.
//   2. `sluice::llama::sample` in place of llama_sampler_sample: no array of candidates is built (needs a
//      context with a model, so it is only written down here).
//   3. One stage more in a chain that stays llama.cpp's: scatter, between its filters and its temperature.
// A row of logits is made up, so that the program needs no model.
#include <llama.h>

#include <cmath>
#include <cstdio>
#include <sluice/adapter/llama_cpp.hpp>
#include <vector>

namespace {

/// Stands for llama_decode and llama_get_logits_ith.
std::vector<float> decode(int step) {
  std::vector<float> logits(1'000);
  for (std::size_t i = 0; i < logits.size(); ++i)
    logits[i] = 6 * std::sin(0.37f * float(i) * float(step + 1)) - 0.002f * float(i);
  return logits;
}

/// What llama_sampler_sample does with a row.
llama_token sample(llama_sampler* sampler, const std::vector<float>& logits) {
  std::vector<llama_token_data> data;
  for (std::size_t i = 0; i < logits.size(); ++i) data.push_back({llama_token(i), logits[i], 0});
  llama_token_data_array candidates{data.data(), data.size(), -1, false};
  llama_sampler_apply(sampler, &candidates);
  if (candidates.selected < 0) return LLAMA_TOKEN_NULL;
  const llama_token token = candidates.data[candidates.selected].id;
  llama_sampler_accept(sampler, token);
  return token;
}

std::vector<llama_token> generate(llama_sampler* sampler) {
  std::vector<llama_token> tokens;
  for (int step = 0; step < 12; ++step) {
    tokens.push_back(sample(sampler, decode(step)));
    // With a context: tokens.push_back(sluice::llama::sample(context, -1, sampler));
    std::printf(" %d", tokens.back());
  }
  std::printf("\n");
  return tokens;
}

}  // namespace

int main() {
  // As it was: every sampler by hand, `dist` at the end.
  llama_sampler* const chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
  llama_sampler_chain_add(chain, llama_sampler_init_top_k(40));
  llama_sampler_chain_add(chain, llama_sampler_init_top_p(0.95f, 0));
  llama_sampler_chain_add(chain, llama_sampler_init_min_p(0.05f, 0));
  // 3. A stage more: the head of the distribution is flattened a little, the tail gets nothing.
  llama_sampler_chain_add(chain, llama_sampler_init_scatter(64, 0.14f, 2.5f, 1));
  llama_sampler_chain_add(chain, llama_sampler_init_temp(0.8f));
  llama_sampler_chain_add(chain, llama_sampler_init_dist(42));
  std::printf("llama.cpp with scatter:");
  generate(chain);

  // 1. The same configuration, as a command line would give it, in one sampler.
  sluice::sampling_params params = sluice::llama::defaults();  // temp 0.8, top_k 40, top_p 0.95, min_p 0.05
  for (const auto& [option, value] : {std::pair{"--seed", "42"}, {"--scatter-strength", "0.14"}}) {
    if (const sluice::problem found = sluice::llama::set(params, option, value)) {
      std::fprintf(stderr, "%s\n", found.text.c_str());
      return 2;
    }
  }
  sluice::llama::fit(params, 4'096);  // windows of -1 are the context's size
  llama_sampler* const ours = sluice::llama::make_sampler(params);
  std::printf("sluice:                ");
  const std::vector<llama_token> first = generate(ours);

  // A reset gives the same text again: tokens are a function of row, parameters, history and seed.
  llama_sampler_reset(ours);
  std::printf("sluice, once more:     ");
  const bool same = generate(ours) == first;
  std::printf("after the reset: %s tokens\n", same ? "the same" : "other");

  llama_sampler_free(ours);
  llama_sampler_free(chain);
  return same ? 0 : 1;
}
