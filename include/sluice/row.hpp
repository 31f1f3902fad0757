#pragma once

// The row being sampled: the primitives that every stage is written in are declared, and explained, in
// row/class.hpp.

#include <sluice/row/class.hpp>
#include <sluice/row/cut_by_mass.hpp>
#include <sluice/row/edit.hpp>
#include <sluice/row/filter.hpp>
#include <sluice/row/keep_nearest.hpp>
#include <sluice/row/open.hpp>
#include <sluice/row/statistics.hpp>
