#include <doctest/doctest.h>

#include <sluice/speculative.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "allocations.hpp"
#include "support.hpp"

namespace {

using tokens = std::vector<sluice::token_id>;

constexpr std::size_t vocab = 500, reserved = 3'000;

tokens random_text(tests::generator& g, std::size_t size) {
  tokens text;
  while (text.size() < size) text.push_back(g.between(0, 9));
  return text;
}

struct setting {
  sluice::sampling_params params;
  bool laws = false;
  sluice::verification how = sluice::verification::per_token;
};

std::vector<setting> settings() {
  sluice::sampling_params full{.temperature = 0.9f, .top_k = 40};
  full.repetition_penalty = 1.1f;
  full.dry_multiplier = 0.8f;
  full.xtc_probability = 0.5f;
  std::vector<setting> all;
  for (const sluice::sampling_params& p :
       {full, sluice::sampling_params{.mirostat = 2}, sluice::sampling_params{.adaptive_target = 0.4f}}) {
    all.push_back({p});
    for (const auto how : {sluice::verification::per_token, sluice::verification::block})
      all.push_back({p, true, how});
  }
  return all;
}

/// Rounds of drafts from the history, each said to be drawn with probability 0.7.
class generation {
 public:
  explicit generation(const setting& s) : setting_(s), chain_(s.params) {
    tests::generator g(1);
    for (std::size_t i = 0; i < vocab; ++i)
      row_.push_back(static_cast<float>(g.gaussian()) + (i < 10 ? 5.0f : 0));
    rows_.assign(5, row_);
    sequence_.reserve(reserved);
    sequence_.accept_prompt(random_text(g, 500));
    (void)chain_.prepare(sequence_, vocab, &memory_);
  }

  sluice::verified round() {
    const std::size_t n = sluice::draft_from_history(sequence_, drafts_);
    for (std::size_t i = 0; i < n; ++i) {
      laws_[i] = {.id = drafts_[i], .probability = 0.7f};
      views_[i] = {&laws_[i], 1};
    }
    const sluice::draft drafted{std::span(drafts_).first(n), std::span(views_).first(setting_.laws ? n : 0)};
    return sluice::verify(chain_, sequence_, rows_, drafted, out_, {&call_, 1}, setting_.how);
  }

  const sluice::sequence& sequence() const { return sequence_; }

 private:
  setting setting_;
  sluice::standard_chain chain_;
  sluice::sequence sequence_{7};
  sluice::workspace memory_;
  sluice::call_options call_{.workspace = &memory_};
  std::vector<float> row_;
  std::vector<sluice::logits_view> rows_;
  std::array<sluice::token_id, 4> drafts_{};
  std::array<sluice::candidate, 4> laws_{};
  std::array<std::span<const sluice::candidate>, 4> views_{};
  std::array<sluice::token_id, 5> out_{};
};

}  // namespace

TEST_CASE("rounds of drafts from the history allocate nothing: DRY and the drafter rebuild nothing") {
  for (const setting& s : settings()) {
    generation g(s);
    (void)g.round();
    const std::size_t before = tests::heap().allocations;
    std::size_t accepted = 0;
    for (int round = 0; round < 300; ++round) accepted += g.round().accepted;
    CHECK(tests::heap().allocations == before);
    CHECK(accepted > 0);
  }
}

TEST_CASE("a round that lacks memory ends with that status, whole tokens accepted, and goes on later") {
  std::size_t failed = 0;
  for (const setting& s : settings())
    for (std::size_t allocations = 0; allocations < 12; ++allocations) {
      const sluice::standard_chain chain(s.params);
      const std::vector<float> row(vocab, 0.0f);
      const std::vector<sluice::logits_view> rows(9, row);
      const tokens drafts{1, 2, 3, 4, 5, 6, 7, 8};
      const sluice::candidate entry{.id = 1, .probability = 1e-6f};
      const std::vector<std::span<const sluice::candidate>> laws(s.laws ? 8 : 0, std::span(&entry, 1));
      sluice::sequence q(3);
      q.accept_prompt(tokens{1, 2, 3});
      sluice::workspace memory;
      const sluice::call_options call{.workspace = &memory};
      std::array<sluice::token_id, 9> out{};
      const auto round = [&] {
        return sluice::verify(chain, q, rows, {drafts, laws}, out, {&call, 1}, s.how);
      };
      sluice::verified v;
      {
        const tests::scarce_memory scarce(allocations);
        v = round();
      }
      const auto emitted = q.tokens().subspan(3);
      REQUIRE(emitted.size() == v.count);
      for (std::size_t i = 0; i < v.count; ++i) CHECK(emitted[i] == out[i]);
      if (v.status == sluice::sample_status::ok) continue;
      ++failed;
      CHECK(v.status == sluice::sample_status::out_of_memory);
      CHECK(v.count == v.accepted);
      CHECK(round().status == sluice::sample_status::ok);
    }
  CHECK(failed > 10);
}
