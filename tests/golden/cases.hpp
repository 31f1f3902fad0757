// The golden cases: every stage alone, what stages share, and chains of many.
#pragma once

#include <vector>

#include "steps.hpp"

namespace golden {

std::vector<test_case> cases();

}  // namespace golden
