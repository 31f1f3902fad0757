// Faults that public systems have had with many rows and with drafts, and what a
// batch asks of the heap.

#include <sluice/sluice.hpp>

#include <array>
#include <cmath>

#include "allocations.hpp"
#include "faults.hpp"

using namespace tests;
using sluice::token_id;

namespace {

std::vector<float> logits_of(const std::vector<double>& p) {
  std::vector<float> row;
  for (const double x : p) row.push_back(static_cast<float>(std::log(x)));
  return row;
}

}  // namespace

FAULT_CASE("rows of a batch with seeds of their own have each the token that they have alone") {
  const sluice::standard_chain chain(sluice::sampling_params{});
  const std::vector<float> row = logits_of({0.4, 0.3, 0.2, 0.1});
  std::vector<sluice::sequence> sequences;
  for (std::uint64_t seed = 0; seed < 64; ++seed) sequences.emplace_back(seed);
  std::vector<sluice::batch_item> items;
  for (sluice::sequence& q : sequences) items.push_back({.logits = row, .chain = &chain, .sequence = &q});
  sluice::sample_batch(items);
  std::set<token_id> drawn;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sluice::sequence alone(i);
    CHECK(items[i].result.token == chain.sample(row, alone).token);
    drawn.insert(items[i].result.token);
  }
  CHECK(drawn.size() > 1);
}

TEST_CASE("a batch allocates nothing once the sequences are prepared") {
  sluice::sampling_params p;
  p.top_k = 3;
  p.frequency_penalty = 0.2f;
  p.dry_multiplier = 0.8f;
  const sluice::standard_chain chain(p);
  const std::vector<float> row = logits_of({0.4, 0.3, 0.2, 0.1});
  std::vector<sluice::sequence> sequences(8, sluice::sequence(1));
  std::vector<sluice::batch_item> items;
  for (sluice::sequence& q : sequences) {
    q.reserve(100);
    REQUIRE(chain.prepare(q, row.size()));
    items.push_back({.logits = row, .chain = &chain, .sequence = &q});
  }
  const std::size_t before = heap().allocations;
  for (int step = 0; step < 50; ++step) {
    sluice::sample_batch(items);
    for (std::size_t i = 0; i < items.size(); ++i) sequences[i].accept(items[i].result.token);
  }
  CHECK(heap().allocations == before);
}

FAULT_CASE("a draft that neither the target nor the drafter could draw is rejected") {
  const sluice::standard_chain chain(sluice::sampling_params{});
  const std::vector<float> row{0, 0, -inf};
  const std::array<sluice::logits_view, 2> rows{row, row};
  const token_id draft = 2;
  const std::array law{sluice::candidate{.id = 0, .probability = 1}};
  const std::array laws{std::span<const sluice::candidate>(law)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    sluice::sequence q(seed);
    std::array<token_id, 2> out{};
    const sluice::verified v = sluice::verify(chain, q, rows, {.tokens = {&draft, 1}, .laws = laws}, out);
    CHECK(v.accepted == 0);
    CHECK(v.count == 1);
    CHECK(out[0] == 1);  // what is left of the target's law when the drafter's is taken away
  }
}

FAULT_CASE("a token that replaces a draft does not share the draft's noise") {
  const std::vector<double> p{0.5, 0.3, 0.2};
  const std::vector<float> target = logits_of(p), drafter = logits_of({0.2, 0.5, 0.3});
  const sluice::standard_chain chain(sluice::sampling_params{});
  const std::array<sluice::logits_view, 2> rows{target, target};
  constexpr std::size_t rounds = 20'000;
  std::array<std::size_t, 3> counts{};
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    sluice::sequence q(seed);
    const token_id draft = chain.sample(drafter, q).token;
    sluice::workspace memory;
    const auto found = chain.distribution(drafter, q, {.workspace = &memory});
    const std::array laws{found};
    std::array<token_id, 2> out{};
    REQUIRE(sluice::verify(chain, q, rows, {.tokens = {&draft, 1}, .laws = laws}, out).count > 0);
    ++counts[static_cast<std::size_t>(out[0])];
  }
  for (std::size_t i = 0; i < p.size(); ++i)  // five deviations
    CHECK(std::abs(double(counts[i]) / rounds - p[i]) < 5 * std::sqrt(p[i] * (1 - p[i]) / rounds));
}

TEST_CASE("items without chain or sequence give a status") {
  sluice::verify_item item;
  sluice::verify_batch(std::span(&item, 1));
  CHECK(item.result.status == sluice::sample_status::no_token_left);
  CHECK(item.result.count == 0);
}
