// Samplers in the public Array expressions of Eigen.
#pragma once

#include <sluice/types.hpp>
#include <span>

namespace bench {

/// Row, temperature, a uniform in (0, 1).
using eigen_sampler = sluice::token_id (*)(std::span<const float>, float, double);

struct eigen_entry {
  const char* stage;
  eigen_sampler sample;
};

/// Stage by stage, with the parameters of the works of the same name.
std::span<const eigen_entry> eigen_entries();

}  // namespace bench
