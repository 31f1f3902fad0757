// sampling_params as a chain of llama.cpp.
#pragma once

#include <llama.h>

#include <cstddef>
#include <sluice/params.hpp>

namespace tests {

/// The samplers that the order of `params` names, by llama.cpp's names, the logit bias first, without a draw
/// at the end. To be freed.
llama_sampler* chain_of(const sluice::sampling_params& params, std::size_t vocab);

}  // namespace tests
