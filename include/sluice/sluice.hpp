#pragma once

// Everything but adapter/: what the file of an engine that samples includes.

#include <sluice/api.hpp>
#include <sluice/chain.hpp>
#include <sluice/names.hpp>
#include <sluice/params/check.hpp>
#include <sluice/params/presets.hpp>
#include <sluice/random.hpp>
#include <sluice/row.hpp>
#include <sluice/sampler.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/standard_chain.hpp>
