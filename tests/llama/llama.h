/* The sampler interface of llama.cpp, as far as sluice and its tests use it: our own declarations, for
   machines without llama.h. The layouts are those of libllama v0.4.0; with SLUICE_FIRST_LLAMA those of its first
   form, where a program made llama_sampler itself, and the vocabulary was the model's. */
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
  int64_t selected; /* a place in data, or -1 */
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
#ifndef SLUICE_FIRST_LLAMA
  void* others[10]; /* sampling on other devices: null */
#endif
};

struct llama_sampler {
  struct llama_sampler_i* iface;
  llama_sampler_context_t ctx;
};

llama_token llama_sampler_sample(struct llama_sampler*, struct llama_context*, int32_t index);
float* llama_get_logits_ith(struct llama_context*, int32_t index);
const struct llama_model* llama_get_model(const struct llama_context*);

#ifdef SLUICE_FIRST_LLAMA

int32_t llama_n_vocab(const struct llama_model*);

#else

#define LLAMA_DEFAULT_SEED 0xFFFFFFFF
#define LLAMA_TOKEN_NULL -1

struct llama_vocab;
const struct llama_vocab* llama_model_get_vocab(const struct llama_model*);
int32_t llama_vocab_n_tokens(const struct llama_vocab*);

typedef struct llama_logit_bias {
  llama_token token;
  float bias;
} llama_logit_bias;

typedef struct llama_sampler_chain_params {
  bool no_perf;
} llama_sampler_chain_params;

struct llama_sampler* llama_sampler_init(struct llama_sampler_i*, llama_sampler_context_t);
const char* llama_sampler_name(const struct llama_sampler*);
void llama_sampler_accept(struct llama_sampler*, llama_token);
void llama_sampler_apply(struct llama_sampler*, llama_token_data_array*);
void llama_sampler_reset(struct llama_sampler*);
struct llama_sampler* llama_sampler_clone(const struct llama_sampler*);
void llama_sampler_free(struct llama_sampler*);

struct llama_sampler_chain_params llama_sampler_chain_default_params(void);
struct llama_sampler* llama_sampler_chain_init(struct llama_sampler_chain_params);
void llama_sampler_chain_add(struct llama_sampler* chain, struct llama_sampler*); /* the chain frees it */
int llama_sampler_chain_n(const struct llama_sampler* chain);
struct llama_sampler* llama_sampler_chain_get(struct llama_sampler* chain, int32_t);
struct llama_sampler* llama_sampler_chain_remove(struct llama_sampler* chain, int32_t);

struct llama_sampler* llama_sampler_init_greedy(void);
struct llama_sampler* llama_sampler_init_dist(uint32_t seed);
struct llama_sampler* llama_sampler_init_top_k(int32_t k);
struct llama_sampler* llama_sampler_init_top_p(float p, size_t min_keep);
struct llama_sampler* llama_sampler_init_min_p(float p, size_t min_keep);
struct llama_sampler* llama_sampler_init_typical(float p, size_t min_keep);
struct llama_sampler* llama_sampler_init_temp(float t);
struct llama_sampler* llama_sampler_init_temp_ext(float t, float delta, float exponent);
struct llama_sampler* llama_sampler_init_xtc(float p, float t, size_t min_keep, uint32_t seed);
struct llama_sampler* llama_sampler_init_top_n_sigma(float n);
struct llama_sampler* llama_sampler_init_penalties(int32_t n_vocab, int32_t last_n, float repeat, float freq,
                                                   float present);
struct llama_sampler* llama_sampler_init_mirostat(int32_t n_vocab, uint32_t seed, float tau, float eta, int32_t m);
struct llama_sampler* llama_sampler_init_mirostat_v2(uint32_t seed, float tau, float eta);
struct llama_sampler* llama_sampler_init_adaptive_p(float target, float decay, uint32_t seed);
struct llama_sampler* llama_sampler_init_logit_bias(int32_t n_vocab, int32_t count, const llama_logit_bias*);

#endif

#ifdef __cplusplus
}
#endif
