#include "context.hpp"

#include <cstddef>

// The context stands for its model and vocabulary too.

extern "C" {

float* llama_get_logits_ith(llama_context* context, int32_t index) {
  return std::size_t(index) < context->rows.size() ? context->rows[std::size_t(index)].data() : nullptr;
}
const llama_model* llama_get_model(const llama_context* context) {
  return reinterpret_cast<const llama_model*>(context);
}
const llama_vocab* llama_model_get_vocab(const llama_model* model) {
  return reinterpret_cast<const llama_vocab*>(model);
}
int32_t llama_vocab_n_tokens(const llama_vocab* vocab) {
  return int32_t(reinterpret_cast<const llama_context*>(vocab)->rows.at(0).size());
}

}  // extern "C"
