#include "library.hpp"

#include <sluice/sluice.hpp>

#include <utility>

namespace tests::statistics {

struct opened::state {
  state(const row_to_draw& row, float temperature)
      : open(sluice::logits_view(row.logits), sluice::call_options{.mask = row.mask}, memory,
             sluice::truncation_engine::select) {
    sluice::detail::row_internals::add_biases(open, {});
    open.set_temperature(double(temperature));
  }

  sluice::workspace memory;
  sluice::row open;
};

opened::opened(const row_to_draw& row, float temperature)
    : state_(std::make_unique<state>(row, temperature)) {}

opened::~opened() = default;

sluice::token_id opened::gumbel(std::uint64_t seed, std::uint64_t position) {
  return sluice::kernel::id_of(sluice::draw::gumbel_max(state_->open, {seed, position}).winner());
}

sluice::token_id opened::softmax(std::uint64_t seed, std::uint64_t position) {
  return softmax_with(word_of(seed, position));
}

sluice::token_id opened::softmax_with(std::uint64_t word) {
  return sluice::draw::inverse_cdf(state_->open, word);
}

std::uint64_t opened::word_of(std::uint64_t seed, std::uint64_t position) {
  const auto w = sluice::random::source{seed, position}.at(sluice::random::stream::softmax_draw, 0);
  return std::uint64_t{w[0]} << 32 | w[1];
}

library_chain::library_chain(sluice::sampling_params params) : chain_(std::move(params)) {}

sluice::token_id library_chain::sample(const row_to_draw& row, std::uint64_t seed,
                                       std::uint64_t position) const {
  sluice::sequence sequence(seed, position);
  return sample(row, sequence);
}

sluice::token_id library_chain::sample(const row_to_draw& row, sluice::sequence& sequence) const {
  return chain_.sample(row.logits, sequence, {.mask = row.mask}).token;
}

std::vector<sluice::candidate> library_chain::distribution(const row_to_draw& row, std::uint64_t seed,
                                                           std::uint64_t position) const {
  sluice::sequence sequence(seed, position);
  const auto survivors = chain_.distribution(row.logits, sequence, {.mask = row.mask});
  return {survivors.begin(), survivors.end()};
}

}  // namespace tests::statistics
