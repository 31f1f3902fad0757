#pragma once

// A header of an engine: it holds a sampler by value and includes nothing but the contract.
#include <sluice/api.hpp>

#include <span>

struct engine {
  sluice::sampler sampler;

  explicit engine(std::uint64_t seed);
  sluice::token_id step(std::span<const float> logits);
  std::uint64_t position() const;
};
