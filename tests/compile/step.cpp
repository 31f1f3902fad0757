// The same step as in two_flags.cpp, compiled with other flags.
#include <sluice/sluice.hpp>

int step(sluice::sampler& sampler, std::span<const float> logits) { return sampler.next(logits).token; }
