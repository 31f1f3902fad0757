#pragma once

// Everything but adapter/: what the file of an engine that samples includes.

#include <sluice/api.hpp>
#include <sluice/batch.hpp>
#include <sluice/chain/chain.hpp>
#include <sluice/chain/sampler.hpp>
#include <sluice/chain/standard_chain.hpp>
#include <sluice/logprobs.hpp>
#include <sluice/params/environment.hpp>
#include <sluice/params/presets.hpp>
#include <sluice/params/set.hpp>
#include <sluice/random/derive_seed.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/speculative.hpp>
#include <sluice/state.hpp>
