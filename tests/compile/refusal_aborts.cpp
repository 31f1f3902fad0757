#include <sluice/sluice.hpp>

void refuse_without_exceptions(const sluice::sampling_params& params) {
  const sluice::sampler sampler(params);
}
