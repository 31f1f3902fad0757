#include "chain.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "library.hpp"

namespace tests {

namespace {

/// Null where the stage is off and the library has no sampler for that.
llama_sampler* sampler_of(std::string_view stage, const sluice::sampling_params& p, std::size_t vocab) {
  const auto keep = std::size_t(p.min_keep);
  if (stage == "penalties")
    return llama_sampler_init_penalties(int(vocab), p.penalty_last_n, p.repetition_penalty,
                                        p.frequency_penalty, p.presence_penalty);
  if (stage == "dry" && (p.dry_multiplier == 0 || p.dry_base < 1 || p.dry_penalty_last_n <= 0))
    return nullptr;
  if (stage == "dry")
    return library::init_dry(p.dry_multiplier, p.dry_base, p.dry_allowed_length, p.dry_penalty_last_n,
                             p.dry_sequence_breakers);
  if (stage == "top_n_sigma") return llama_sampler_init_top_n_sigma(p.top_n_sigma);
  if (stage == "top_k") return llama_sampler_init_top_k(p.top_k);
  if (stage == "typ_p") return llama_sampler_init_typical(p.typical_p, keep);
  if (stage == "top_p") return llama_sampler_init_top_p(p.top_p, keep);
  if (stage == "min_p") return llama_sampler_init_min_p(p.min_p, keep);
  if (stage == "xtc") return llama_sampler_init_xtc(p.xtc_probability, p.xtc_threshold, keep, 1);
  if (stage != "temperature") std::abort();
  return llama_sampler_init_temp_ext(p.temperature, p.dynatemp_range, p.dynatemp_exponent);
}

}  // namespace

llama_sampler* chain_of(const sluice::sampling_params& params, std::size_t vocab) {
  llama_sampler* const chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
  std::vector<llama_logit_bias> biases;
  for (const auto& [token, bias] : params.logit_bias) biases.push_back({token, bias});
  if (!biases.empty())
    llama_sampler_chain_add(chain,
                            llama_sampler_init_logit_bias(int(vocab), int(biases.size()), biases.data()));
  std::string_view rest = params.order;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    llama_sampler* const next = sampler_of(rest.substr(0, end), params, vocab);
    if (next != nullptr) llama_sampler_chain_add(chain, next);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return chain;
}

}  // namespace tests
