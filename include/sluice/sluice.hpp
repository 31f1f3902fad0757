#pragma once

// Everything but adapter/: what the file of an engine that samples includes.

#include <sluice/api.hpp>
#include <sluice/chain.hpp>
#include <sluice/history.hpp>
#include <sluice/names.hpp>
#include <sluice/params/check.hpp>
#include <sluice/params/presets.hpp>
#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/random/seed.hpp>
#include <sluice/row.hpp>
#include <sluice/sampler.hpp>
#include <sluice/standard_chain.hpp>
