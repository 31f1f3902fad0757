/* The same interface in its first form: a program made llama_sampler itself, and the vocabulary was the
   model's. Our own declarations. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct llama_model;
struct llama_context;

typedef int32_t llama_token;

typedef struct llama_token_data {
  llama_token id;
  float logit, p;
} llama_token_data;

typedef struct llama_token_data_array {
  llama_token_data* data;
  size_t size;
  int64_t selected;
  bool sorted;
} llama_token_data_array;

typedef void* llama_sampler_context_t;
struct llama_sampler;

struct llama_sampler_i {
  const char* (*name)(const struct llama_sampler*);
  void (*accept)(struct llama_sampler*, llama_token);
  void (*apply)(struct llama_sampler*, llama_token_data_array*);
  void (*reset)(struct llama_sampler*);
  struct llama_sampler* (*clone)(const struct llama_sampler*);
  void (*free)(struct llama_sampler*);
};

struct llama_sampler {
  struct llama_sampler_i* iface;
  llama_sampler_context_t ctx;
};

llama_token llama_sampler_sample(struct llama_sampler*, struct llama_context*, int32_t index);
float* llama_get_logits_ith(struct llama_context*, int32_t index);
const struct llama_model* llama_get_model(const struct llama_context*);
int32_t llama_n_vocab(const struct llama_model*);

#ifdef __cplusplus
}
#endif
