// The adapter over the first form of the interface, without a library: an engine of three functions.
#include <llama.h>

#include <sluice/adapter/llama_cpp.hpp>
#include <vector>

namespace {

std::vector<float> logits{1, 4, 2, 3};

}  // namespace

extern "C" {

float* llama_get_logits_ith(llama_context*, int32_t) { return logits.data(); }
const llama_model* llama_get_model(const llama_context*) { return nullptr; }
int32_t llama_n_vocab(const llama_model*) { return int32_t(logits.size()); }
llama_token llama_sampler_sample(llama_sampler*, llama_context*, int32_t) { return -2; }

}  // extern "C"

int main() {
  const auto free = [](llama_sampler* sampler) {
    sampler->iface->free(sampler);
    delete sampler;
  };
  llama_sampler* const first = sluice::llama::make_sampler({.temperature = 0, .presence_penalty = 9});
  llama_sampler* const scatter = llama_sampler_init_scatter(2, 0.2f, 2.5f, 1);
  bool right = sluice::llama::sample(nullptr, 0, first) == 1;
  llama_sampler* const second = first->iface->clone(first);
  right &= sluice::llama::sample(nullptr, 0, second) == 3;
  right &= sluice::llama::sample(nullptr, 0, scatter) == -2;

  std::vector<llama_token_data> data;
  for (const llama_token id : {3, 0, 2, 1}) data.push_back({id, logits[std::size_t(id)], 0});
  llama_token_data_array array{data.data(), data.size(), -1, false};
  second->iface->apply(second, &array);
  right &= array.selected == 2;  // 1 and 3 are penalised
  scatter->iface->apply(scatter, &array);
  right &= array.size == 2 && data[0].id == 1 && data[1].id == 3;

  free(first);
  free(second);
  free(scatter);
  return right ? 0 : 1;
}
