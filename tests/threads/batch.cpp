// Batches and verified drafts on four threads over one chain, for a build with the thread sanitizer: it
// reports what two threads touch without order.
#include <sluice/sluice.hpp>

#include <cstdio>
#include <vector>

#include "../strided_threads.hpp"

int main() {
  sluice::sampling_params p;
  p.temperature = 0.9f;
  p.top_k = 30;
  p.top_p = 0.9f;
  p.frequency_penalty = 0.2f;
  p.dry_multiplier = 0.8f;
  p.adaptive_target = 0.4f;
  const sluice::standard_chain chain(p);
  std::vector<float> logits(16 * 1'000);
  for (std::size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>((i * 2'654'435'761u) % 1'000) * 0.01f;
  const sluice::logits_rows rows(logits.data(), 16, 1'000);
  std::vector<sluice::sequence> sequences, alone;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sequences.emplace_back(i);
    alone.emplace_back(i);
  }
  for (int step = 0; step < 20; ++step) {
    std::vector<sluice::batch_item> items;
    for (std::size_t i = 0; i < rows.size(); ++i)
      items.push_back({.logits = rows[i], .chain = &chain, .sequence = &sequences[i]});
    sluice::sample_batch(items, tests::strided_threads{4});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const sluice::sample_result expected = chain.sample(rows[i], alone[i]);
      if (items[i].result.token != expected.token) {
        std::printf("row %zu of step %d: %d in the batch, %d alone\n", i, step, items[i].result.token,
                    expected.token);
        return 1;
      }
      sequences[i].accept(expected.token);
      alone[i].accept(expected.token);
    }
  }
  std::vector<sluice::token_id> out(2 * rows.size());
  std::vector<sluice::logits_view> views;
  std::vector<sluice::verify_item> items;
  const sluice::token_id drafted = 7;
  for (std::size_t i = 0; i < rows.size(); ++i) views.insert(views.end(), 2, rows[i]);
  for (std::size_t i = 0; i < rows.size(); ++i)
    items.push_back({.chain = &chain,
                     .sequence = &sequences[i],
                     .rows = std::span(views).subspan(2 * i, 2),
                     .drafted = {.tokens = {&drafted, 1}},
                     .out = std::span(out).subspan(2 * i, 2)});
  sluice::verify_batch(std::span(items), tests::strided_threads{4});
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (items[i].result.count == 0 || out[2 * i] != chain.sample(rows[i], alone[i]).token) return 1;
  std::puts("rows on four threads have the tokens that they have alone");
}
