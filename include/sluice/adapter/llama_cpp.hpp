#pragma once

// sluice for programs that link llama.cpp, of any version that has the llama_sampler_i interface.
//   make_sampler(params)        a llama_sampler, alone or inside a llama_sampler_chain
//   sample(ctx, idx, sampler)   the same from the context's raw logits: no array of candidates is built
//   llama_sampler_init_scatter  scatter as a stage of an ordinary llama.cpp chain
//   defaults, set, fit, params_from, dry_breakers   a configuration of llama.cpp as sampling_params

#include <sluice/adapter/llama_cpp/breakers.hpp>
#include <sluice/adapter/llama_cpp/params.hpp>
#include <sluice/adapter/llama_cpp/sampler.hpp>
#include <sluice/adapter/llama_cpp/scatter.hpp>
