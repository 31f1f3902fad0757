// llama.h by a libllama that is loaded when first used: programs are built without it, and run where it is.
// SLUICE_LLAMA_LIBRARY in the environment names another one.
#include "library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace library {
namespace {

const char* path() {
  const char* given = std::getenv("SLUICE_LLAMA_LIBRARY");
  return given != nullptr ? given : SLUICE_LLAMA_LIBRARY;
}

void* open() {
  void* const opened = dlopen(path(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  // It warns of every DRY sampler without breakers.
  using log = void (*)(int level, const char* text, void* data);
  if (void* const set = dlsym(opened, "llama_log_set"))
    reinterpret_cast<void (*)(log, void*)>(set)([](int, const char*, void*) {}, nullptr);
  return opened;
}

void* handle() {
  static void* const opened = open();
  return opened;
}

void* find(const char* name) {
  if (handle() == nullptr) {
    std::printf("skipped: llama.cpp was not found: %s\n", dlerror());
    std::fflush(stdout);
    std::_Exit(77);
  }
  void* const symbol = dlsym(handle(), name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s has no %s\n", path(), name);
    std::abort();
  }
  return symbol;
}

template <class Function>
Function* find(Function*, const char* name) {
  return reinterpret_cast<Function*>(find(name));
}

}  // namespace

llama_sampler* init_dry(float multiplier, float base, std::int32_t allowed, std::int32_t last_n,
                        const std::vector<std::vector<std::int32_t>>& breakers) {
  using function = llama_sampler* (*)(float, float, std::int32_t, std::int32_t,
                                      const std::vector<std::vector<std::int32_t>>&);
  return reinterpret_cast<function>(
      find("_Z30llama_sampler_init_dry_testingffiiRKSt6vectorIS_IiSaIiEESaIS1_EE"))(multiplier, base, allowed,
                                                                                    last_n, breakers);
}

}  // namespace library

#define FORWARD(name, ...)                               \
  static auto* const real = library::find(&name, #name); \
  return real(__VA_ARGS__)

extern "C" {

llama_sampler* llama_sampler_init(llama_sampler_i* functions, llama_sampler_context_t state) {
  FORWARD(llama_sampler_init, functions, state);
}
const char* llama_sampler_name(const llama_sampler* s) { FORWARD(llama_sampler_name, s); }
void llama_sampler_accept(llama_sampler* s, llama_token token) { FORWARD(llama_sampler_accept, s, token); }
void llama_sampler_apply(llama_sampler* s, llama_token_data_array* a) { FORWARD(llama_sampler_apply, s, a); }
void llama_sampler_reset(llama_sampler* s) { FORWARD(llama_sampler_reset, s); }
llama_sampler* llama_sampler_clone(const llama_sampler* s) { FORWARD(llama_sampler_clone, s); }
void llama_sampler_free(llama_sampler* s) { FORWARD(llama_sampler_free, s); }
llama_token llama_sampler_sample(llama_sampler* s, llama_context* context, int32_t index) {
  FORWARD(llama_sampler_sample, s, context, index);
}

llama_sampler_chain_params llama_sampler_chain_default_params() {
  FORWARD(llama_sampler_chain_default_params);
}
llama_sampler* llama_sampler_chain_init(llama_sampler_chain_params p) {
  FORWARD(llama_sampler_chain_init, p);
}
void llama_sampler_chain_add(llama_sampler* c, llama_sampler* s) { FORWARD(llama_sampler_chain_add, c, s); }
int llama_sampler_chain_n(const llama_sampler* c) { FORWARD(llama_sampler_chain_n, c); }
llama_sampler* llama_sampler_chain_get(llama_sampler* c, int32_t i) {
  FORWARD(llama_sampler_chain_get, c, i);
}
llama_sampler* llama_sampler_chain_remove(llama_sampler* c, int32_t i) {
  FORWARD(llama_sampler_chain_remove, c, i);
}

llama_sampler* llama_sampler_init_greedy() { FORWARD(llama_sampler_init_greedy); }
llama_sampler* llama_sampler_init_dist(uint32_t seed) { FORWARD(llama_sampler_init_dist, seed); }
llama_sampler* llama_sampler_init_top_k(int32_t k) { FORWARD(llama_sampler_init_top_k, k); }
llama_sampler* llama_sampler_init_top_p(float p, size_t keep) { FORWARD(llama_sampler_init_top_p, p, keep); }
llama_sampler* llama_sampler_init_min_p(float p, size_t keep) { FORWARD(llama_sampler_init_min_p, p, keep); }
llama_sampler* llama_sampler_init_typical(float p, size_t keep) {
  FORWARD(llama_sampler_init_typical, p, keep);
}
llama_sampler* llama_sampler_init_temp(float t) { FORWARD(llama_sampler_init_temp, t); }
llama_sampler* llama_sampler_init_temp_ext(float t, float delta, float exponent) {
  FORWARD(llama_sampler_init_temp_ext, t, delta, exponent);
}
llama_sampler* llama_sampler_init_xtc(float p, float t, size_t keep, uint32_t seed) {
  FORWARD(llama_sampler_init_xtc, p, t, keep, seed);
}
llama_sampler* llama_sampler_init_top_n_sigma(float n) { FORWARD(llama_sampler_init_top_n_sigma, n); }
llama_sampler* llama_sampler_init_penalties(int32_t vocab, int32_t last_n, float repeat, float freq,
                                            float present) {
  FORWARD(llama_sampler_init_penalties, vocab, last_n, repeat, freq, present);
}
llama_sampler* llama_sampler_init_mirostat(int32_t vocab, uint32_t seed, float tau, float eta, int32_t m) {
  FORWARD(llama_sampler_init_mirostat, vocab, seed, tau, eta, m);
}
llama_sampler* llama_sampler_init_mirostat_v2(uint32_t seed, float tau, float eta) {
  FORWARD(llama_sampler_init_mirostat_v2, seed, tau, eta);
}
llama_sampler* llama_sampler_init_adaptive_p(float target, float decay, uint32_t seed) {
  FORWARD(llama_sampler_init_adaptive_p, target, decay, seed);
}
llama_sampler* llama_sampler_init_logit_bias(int32_t vocab, int32_t count, const llama_logit_bias* biases) {
  FORWARD(llama_sampler_init_logit_bias, vocab, count, biases);
}

}  // extern "C"
