// What the tests want of llama.cpp beside llama.h. Where the library cannot be loaded, this and the functions
// of llama.h end the program with status 77 and a line that says so.
#pragma once

#include <llama.h>

#include <cstdint>
#include <vector>

namespace library {

/// The DRY sampler with breakers as token ids: its own tests have no vocabulary either. Crashes where DRY is
/// off: multiplier 0, base below 1, last_n <= 0.
llama_sampler* init_dry(float multiplier, float base, std::int32_t allowed, std::int32_t last_n,
                        const std::vector<std::vector<std::int32_t>>& breakers);

}  // namespace library
