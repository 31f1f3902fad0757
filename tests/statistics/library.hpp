// The library's draws, compiled once for all tests here.
#pragma once

#include <sluice/api.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "rows_to_draw.hpp"

namespace tests::statistics {

/// A row that is opened once and drawn from many times. The row must outlive it.
class opened {
 public:
  explicit opened(const row_to_draw& row, float temperature = 1);
  ~opened();

  sluice::token_id gumbel(std::uint64_t seed, std::uint64_t position);
  sluice::token_id softmax(std::uint64_t seed, std::uint64_t position);
  sluice::token_id softmax_with(std::uint64_t word);

  /// The word that the softmax draw takes.
  static std::uint64_t word_of(std::uint64_t seed, std::uint64_t position);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// sluice::standard_chain, the door that users take.
class library_chain {
 public:
  explicit library_chain(sluice::sampling_params params);

  sluice::token_id sample(const row_to_draw& row, std::uint64_t seed, std::uint64_t position) const;
  sluice::token_id sample(const row_to_draw& row, sluice::sequence& sequence) const;
  std::vector<sluice::candidate> distribution(const row_to_draw& row, std::uint64_t seed,
                                              std::uint64_t position) const;

 private:
  sluice::standard_chain chain_;
};

}  // namespace tests::statistics
