// The command line.
#pragma once

#include <cstddef>
#include <optional>
#include <sluice/api.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace storyteller {

struct options {
  std::string model = {}, tokenizer = {};  // files; both empty: the built-in model
  std::string prompt = {};
  std::size_t n_predict = 256;
  sluice::sampling_params sampling = {};  // within its ranges, but for ids beyond the vocabulary
  // Texts that stop a DRY match. They become token ids when the vocabulary is known.
  std::vector<std::string> breakers = {};
};

// What is wrong with the command line, in one line.
struct option_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// None where the user asked for help, which has then been printed.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace storyteller
