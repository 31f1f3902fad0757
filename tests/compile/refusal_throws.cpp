// Compiled with exceptions: a bad parameter throws. With an argument it leaves the refusal to the other file,
// which is compiled without and must abort, whichever of the two is linked first.
#include <sluice/sluice.hpp>
#include <stdexcept>
#include <string_view>

void refuse_without_exceptions(const sluice::sampling_params& params);

int main(int argc, char**) {
  const sluice::sampling_params params{.top_p = 1.5f};
  if (argc > 1) refuse_without_exceptions(params);
  try {
    const sluice::sampler sampler(params);
  } catch (const std::invalid_argument& refusal) {
    return std::string_view(refusal.what()).find("top_p must be in") == std::string_view::npos ? 1 : 0;
  }
  return 1;
}
