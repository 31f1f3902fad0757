// A llama_context of rows that a test made: the library has none without a model.
#pragma once

#include <llama.h>

#include <vector>

struct llama_context {
  std::vector<std::vector<float>> rows;
};
