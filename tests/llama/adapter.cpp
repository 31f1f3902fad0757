// The adapter inside the real library: our samplers in its chain, its samplers before and after them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <sluice/adapter/llama_cpp.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../rows.hpp"
#include "../unit/allocations.hpp"
#include "context.hpp"
#include "laws.hpp"

namespace tests {
namespace {

using params = sluice::sampling_params;

struct freed {
  void operator()(llama_sampler* s) const { llama_sampler_free(s); }
};
using owner = std::unique_ptr<llama_sampler, freed>;

template <class... Samplers>
owner chain(Samplers... samplers) {
  owner c(llama_sampler_chain_init(llama_sampler_chain_default_params()));
  (llama_sampler_chain_add(c.get(), samplers), ...);
  return c;
}

/// An array with its memory.
struct row_of_candidates {
  std::vector<llama_token_data> data;
  llama_token_data_array array;

  explicit row_of_candidates(std::vector<llama_token_data> given)
      : data(std::move(given)), array(array_of(data)) {}
  explicit row_of_candidates(std::span<const float> row) : row_of_candidates(candidates(row)) {}
  row_of_candidates(const row_of_candidates&) = delete;

  void apply(const owner& sampler) { llama_sampler_apply(sampler.get(), &array); }
  llama_token token() const { return array.selected < 0 ? LLAMA_TOKEN_NULL : array.data[array.selected].id; }
};

llama_token drawn(const owner& sampler, std::span<const float> row) {
  row_of_candidates c(row);
  c.apply(sampler);
  return c.token();
}

void shuffle(std::vector<llama_token_data>& data, generator& g) {
  for (std::size_t i = data.size(); i > 1; --i) std::swap(data[i - 1], data[g.below(i)]);
}

/// History, filters, a coin.
params everything(std::uint64_t seed) {
  return {.seed = seed,
          .temperature = 0.9f,
          .top_k = 30,
          .top_p = 0.95f,
          .min_p = 0.02f,
          .xtc_probability = 0.3f,
          .repetition_penalty = 1.2f,
          .frequency_penalty = 0.3f,
          .dry_multiplier = 0.8f};
}

bool same(const llama_token_data& a, const llama_token_data& b) {
  return a.id == b.id && a.logit == b.logit && a.p == b.p;
}

bool untouched(const row_of_candidates& c, std::span<const float> row) {
  const std::vector<llama_token_data> before = candidates(row);
  return c.array.data == c.data.data() && c.array.size == before.size() && !c.array.sorted &&
         std::equal(c.data.begin(), c.data.end(), before.begin(), same);
}

TEST_SUITE("adapter") {
  TEST_CASE("a chain that holds it draws what the library draws, step for step") {
    generator g(1);
    sluice::sampler plain(everything(5));
    const owner one = chain(sluice::llama::make_sampler(everything(5)));
    const owner alone(sluice::llama::make_sampler(everything(5)));
    CHECK(std::string(llama_sampler_name(llama_sampler_chain_get(one.get(), 0))) == "sluice");
    for (int step = 0; step < 50; ++step) {
      const std::vector<float> row = make_row(g, shape::gaussian, 300);
      const llama_token expected = plain.next(row).token;
      CHECK(drawn(one, row) == expected);
      CHECK(drawn(alone, row) == expected);
      CHECK(drawn(alone, row) == expected);  // nothing was accepted between
      llama_sampler_accept(one.get(), expected);
      llama_sampler_accept(alone.get(), expected);
    }
  }

  TEST_CASE("candidates may come in any order, with tokens at -inf or missing") {
    generator g(2);
    const owner sampler(sluice::llama::make_sampler({.seed = 7, .temperature = 0.8f, .top_p = 0.9f}));
    for (int i = 0; i < 50; ++i) {
      const std::vector<float> row = make_row(g, shape::holes, 1 + g.below(600));
      const llama_token expected = drawn(sampler, row);
      row_of_candidates shuffled(row);
      shuffle(shuffled.data, g);
      shuffled.apply(sampler);
      CHECK(shuffled.token() == expected);
      std::erase_if(shuffled.data, [](const auto& c) { return c.logit == minus_infinity; });
      row_of_candidates fewer(shuffled.data);
      fewer.apply(sampler);
      CHECK(fewer.token() == expected);
      llama_sampler_accept(sampler.get(), expected);
    }
  }

  TEST_CASE("what it leaves untouched is untouched") {
    const std::vector<float> row{1, 3, 2};
    const owner sampler(sluice::llama::make_sampler({.top_k = 2}));
    row_of_candidates c(row);
    c.apply(sampler);
    CHECK(untouched(c, row));
  }

  TEST_CASE("without a token left nothing is selected") {
    const owner sampler(sluice::llama::make_sampler({}));
    for (const float absent : {minus_infinity, not_a_number}) {
      row_of_candidates c(std::vector<float>(3, absent));
      c.array.selected = 1;
      c.apply(sampler);
      CHECK(c.array.selected == -1);
    }
    row_of_candidates empty(std::vector<float>{});
    empty.apply(sampler);
    CHECK(empty.array.selected == -1);
    row_of_candidates far(std::vector<llama_token_data>{{1 << 20, 0, 0}});
    far.apply(sampler);
    CHECK(far.array.selected == -1);
  }

  TEST_CASE("their samplers before it: it sees what they leave") {
    generator g(3);
    for (int i = 0; i < 50; ++i) {
      const std::vector<float> row = make_row(g, shape::gaussian, 500);
      const owner mixed = chain(llama_sampler_init_top_k(20), llama_sampler_init_min_p(0.1f, 0),
                                sluice::llama::make_sampler({.seed = 3, .temperature = 0.7f}));
      sluice::sampler plain({.seed = 3, .temperature = 0.7f, .top_k = 20, .min_p = 0.1f});
      CHECK(drawn(mixed, row) == plain.next(row).token);
    }
  }

  TEST_CASE("their samplers after it: the survivors have the law of its draw") {
    generator g(4);
    const params p{.seed = 9, .temperature = 0.7f, .top_k = 12, .top_p = 0.9f};
    for (int i = 0; i < 50; ++i) {
      const std::vector<float> row = make_row(g, shape::gaussian, 500);
      const owner mixed =
          chain(sluice::llama::make_sampler(p, sluice::llama::leaves::survivors), llama_sampler_init_dist(1));
      row_of_candidates c(row);
      llama_sampler* const first = llama_sampler_chain_get(mixed.get(), 0);
      llama_sampler_apply(first, &c.array);
      sluice::sampler plain(p);
      CHECK(c.array.sorted);
      CHECK(c.token() == plain.sample(row).token);
      const auto expected = plain.distribution(row);
      REQUIRE(c.array.size == expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        CHECK(c.array.data[k].id == expected[k].id);
        CHECK(c.array.data[k].p == expected[k].probability);
      }
      llama_sampler_apply(llama_sampler_chain_get(mixed.get(), 1), &c.array);
      for (std::size_t k = 0; k < expected.size(); ++k)
        CHECK(c.array.data[k].p == doctest::Approx(double(expected[k].probability)).epsilon(1e-6));
    }
  }

  TEST_CASE("reset begins the seed and the history anew") {
    generator g(5);
    const std::vector<float> row = make_row(g, shape::gaussian, 200);
    const owner one = chain(sluice::llama::make_sampler(everything(11)));
    const auto story = [&] {
      std::vector<llama_token> tokens;
      for (int step = 0; step < 20; ++step) {
        tokens.push_back(drawn(one, row));
        llama_sampler_accept(one.get(), tokens.back());
      }
      return tokens;
    };
    const auto first = story();
    CHECK(story() != first);
    llama_sampler_reset(one.get());
    CHECK(story() == first);
    const owner unseeded(sluice::llama::make_sampler({}));
    const std::uint64_t before = sluice::llama::sequence_of(unseeded.get())->seed();
    llama_sampler_reset(unseeded.get());
    CHECK(sluice::llama::sequence_of(unseeded.get())->seed() != before);
  }

  TEST_CASE("a clone goes on as the original would, by itself") {
    generator g(6);
    const owner one = chain(sluice::llama::make_sampler(everything(12)));
    for (int token = 0; token < 10; ++token) llama_sampler_accept(one.get(), token);
    const owner copy(llama_sampler_clone(one.get()));
    for (int step = 0; step < 20; ++step) {
      const std::vector<float> row = make_row(g, shape::gaussian, 200);
      const llama_token expected = drawn(one, row);
      CHECK(drawn(copy, row) == expected);
      llama_sampler_accept(one.get(), expected);
      llama_sampler_accept(copy.get(), expected);
    }
    llama_sampler_accept(copy.get(), 1);
    CHECK(sluice::llama::sequence_of(llama_sampler_chain_get(one.get(), 0))->tokens().size() == 30);
  }

  TEST_CASE("a sampler outlives the chain that it is taken out of") {
    owner one = chain(sluice::llama::make_sampler({.seed = 1}), llama_sampler_init_greedy());
    const owner taken(llama_sampler_chain_remove(one.get(), 0));
    one.reset();
    CHECK(drawn(taken, std::vector<float>{0, minus_infinity}) == 0);
  }

  TEST_CASE("functions that sluice does not know stay null") {
    const owner sampler(sluice::llama::make_sampler({}));
    for (void* const function : sampler->iface->others) CHECK(function == nullptr);
    CHECK(sluice::llama::sequence_of(owner(llama_sampler_init_greedy()).get()) == nullptr);
  }

  TEST_CASE("nothing allocates in steady state, whatever the order of the candidates") {
    generator g(8);
    const std::vector<float> row = make_row(g, shape::gaussian, 5'000);
    const owner sampler(sluice::llama::make_sampler(everything(14), sluice::llama::leaves::survivors));
    const owner scatter(llama_sampler_init_scatter(64, 0.2f, 2.5f, 1));
    sluice::llama::sequence_of(sampler.get())->reserve(100);
    std::vector<llama_token_data> orders[2] = {candidates(row), candidates(row)};
    shuffle(orders[1], g);
    std::vector<llama_token_data> data = orders[0];
    std::size_t before = 0;
    for (int step = 0; step < 20; ++step) {
      if (step == 4) before = heap().allocations;
      for (const auto& order : orders) {
        for (llama_sampler* const one : {scatter.get(), sampler.get()}) {
          std::copy(order.begin(), order.end(), data.begin());
          llama_token_data_array array = array_of(data);
          one->iface->apply(one, &array);
        }
        sampler->iface->accept(sampler.get(), step);  // no repeats: their scratch memory grows with them
      }
    }
    CHECK(heap().allocations == before);
  }

  TEST_CASE("where memory runs out nothing is selected") {
    const owner sampler(sluice::llama::make_sampler({}));
    row_of_candidates c(std::vector<float>(700'000, 1.0f));
    for (std::size_t allocations = 0; allocations < 2; ++allocations) {
      const scarce_memory scarce(allocations);
      c.array.selected = 0;
      sampler->iface->apply(sampler.get(), &c.array);
      CHECK(c.array.selected == -1);
    }
    c.apply(sampler);
    CHECK(c.array.selected >= 0);
  }

  TEST_CASE("parameters out of range are refused with check's words") {
    CHECK_THROWS_WITH_AS(sluice::llama::make_sampler({.top_p = 1.5f}), "top_p must be in [0, 1], got 1.5",
                         std::invalid_argument);
  }

  TEST_CASE("the raw logits of a context give the same tokens without an array") {
    generator g(7);
    llama_context context;
    for (int row = 0; row < 20; ++row) context.rows.push_back(make_row(g, shape::gaussian, 300));
    sluice::sampler plain(everything(13)), direct(everything(13));
    const owner sampler(sluice::llama::make_sampler(everything(13)));
    for (int index = 0; index < 20; ++index) {
      const llama_token expected = plain.next(context.rows[std::size_t(index)]).token;
      CHECK(sluice::llama::sample(&context, index, direct).token == expected);
      CHECK(sluice::llama::sample(&context, index, sampler.get()) == expected);
    }
    CHECK(sluice::llama::sequence_of(sampler.get())->tokens().size() == 20);
    CHECK(sluice::llama::sample(&context, 99, direct).status == sluice::sample_status::no_token_left);
    CHECK(sluice::llama::sample(&context, 99, sampler.get()) == LLAMA_TOKEN_NULL);
  }
}

/// What sluice's own stage leaves of a row, best first.
std::vector<sluice::candidate> scattered(std::span<const float> row, const sluice::scatter& stage,
                                         std::uint64_t seed = 0, std::span<const int> history = {}) {
  const sluice::custom_chain<sluice::scatter> own(stage);
  sluice::sequence sequence(seed);
  sequence.accept(history);
  const auto medium = own.distribution(row, sequence);
  return {medium.begin(), medium.end()};
}

bool same_medium(const llama_token_data_array& array, const std::vector<sluice::candidate>& expected) {
  return array.size == expected.size() &&
         std::equal(expected.begin(), expected.end(), array.data, [](const auto& a, const auto& b) {
           return a.id == b.id && a.logit == b.logit && a.probability == b.p;
         });
}

TEST_SUITE("scatter") {
  TEST_CASE("the fixed form does what the stage does, whatever the order of the candidates") {
    generator g(20);
    const owner sampler(llama_sampler_init_scatter(64, 0.2f, 2.5f, 2));
    CHECK(std::string(llama_sampler_name(sampler.get())) == "scatter");
    for (int i = 0; i < 50; ++i) {
      const std::vector<float> row = make_row(g, g.pick(all_shapes), 1 + g.below(400));
      row_of_candidates c(row);
      if (g.chance(0.5)) shuffle(c.data, g);
      c.apply(sampler);
      CHECK(same_medium(c.array, scattered(row, {.strength = 0.2f, .steps = 2})));
      CHECK(c.array.sorted);
    }
  }

  TEST_CASE("the whole form: adaptive, absorbing, with a coin") {
    generator g(21);
    const owner sampler(
        llama_sampler_init_scatter_ext(32, 0.14f, 2, 1, true, 0.02f, 0.3f, 0.55f, 0.3f, 8, 0.5f, 77));
    const sluice::scatter stage{.strength = 0.14f,
                                .radius = 2,
                                .k = 32,
                                .adaptive = true,
                                .absorption = 0.3f,
                                .absorption_last_n = 8,
                                .collision = 0.5f};
    std::vector<int> history;
    int missed = 0;
    for (int step = 0; step < 100; ++step) {
      const std::vector<float> row = make_row(g, shape::gaussian, 200);
      row_of_candidates c(row);
      c.apply(sampler);
      const auto expected = scattered(row, stage, 77, history);
      if (expected.size() == row.size()) {
        ++missed;
        CHECK(untouched(c, row));
      } else {
        CHECK(same_medium(c.array, expected));
      }
      history.push_back(int(g.below(200)));
      llama_sampler_accept(sampler.get(), history.back());
    }
    CHECK(missed > 30);
    CHECK(missed < 70);
  }

  TEST_CASE("as a stage of their chain") {
    generator g(22);
    const owner mixed = chain(llama_sampler_init_top_k(40), llama_sampler_init_scatter(64, 0.3f, 2.5f, 1),
                              llama_sampler_init_temp(0.8f), llama_sampler_init_dist(5));
    for (int i = 0; i < 20; ++i) {
      const std::vector<float> row = make_row(g, shape::gaussian, 300);
      row_of_candidates c(row);
      c.apply(mixed);
      const law expected = ours(row, {.temperature = 0.8f, .top_k = 40, .scatter_strength = 0.3f});
      REQUIRE(c.array.size == expected.size());
      for (const auto& token : expected) {
        const auto* const found = std::find_if(c.array.data, c.array.data + c.array.size,
                                               [&](const auto& t) { return t.id == token.id; });
        REQUIRE(found != c.array.data + c.array.size);
        CHECK(found->p == doctest::Approx(double(token.probability)).epsilon(1e-5));
      }
      llama_sampler_accept(mixed.get(), c.token());
    }
  }

  TEST_CASE("what is off touches nothing") {
    const std::vector<float> row{1, 3, 2, minus_infinity};
    const float nan = not_a_number;
    const auto off = [&](llama_sampler* made) {
      const owner sampler(made);
      CHECK(std::string(llama_sampler_name(made)) == "?scatter");
      row_of_candidates c(row);
      c.apply(sampler);
      llama_sampler_accept(made, 1);
      CHECK(untouched(c, row));
    };
    for (const std::int32_t k : {1, 0, -1}) off(llama_sampler_init_scatter(k, 0.2f, 2.5f, 1));
    for (const float s : {0.0f, -1.0f, nan}) off(llama_sampler_init_scatter(64, s, 2.5f, 1));
    for (const float r : {0.0f, -1.0f, nan}) off(llama_sampler_init_scatter(64, 0.2f, r, 1));
    for (const std::int32_t n : {0, -1}) off(llama_sampler_init_scatter(64, 0.2f, 2.5f, n));
    const auto ext = [](float strength, float absorption, float collision) {
      return llama_sampler_init_scatter_ext(64, strength, 2.5f, 1, false, 0.02f, 0.3f, 0.55f, absorption, 64,
                                            collision, 1);
    };
    off(ext(0, 0, 1));
    off(ext(nan, nan, 1));
    off(ext(0.2f, 0, 0));
    off(ext(0.2f, 0, nan));
    // Rows without a token are left as they are, too.
    const std::vector<float> none(3, minus_infinity);
    const owner sampler(llama_sampler_init_scatter(64, 0.2f, 2.5f, 1));
    row_of_candidates c(none);
    c.apply(sampler);
    CHECK(untouched(c, none));
  }

  TEST_CASE("what is out of range is the nearest that has a meaning") {
    generator g(23);
    const std::vector<float> row = make_row(g, shape::gaussian, 2'000);
    const auto left_by = [&](llama_sampler* made, const sluice::scatter& stage) {
      const owner sampler(made);
      row_of_candidates c(row);
      c.apply(sampler);
      CHECK(same_medium(c.array, scattered(row, stage)));
    };
    left_by(llama_sampler_init_scatter(64, 7, 2.5f, 1), {.strength = 1});
    left_by(llama_sampler_init_scatter(5'000, 0.2f, plus_infinity, 1'000),
            {.strength = 0.2f, .radius = FLT_MAX, .k = 1'024, .steps = 64});
    left_by(llama_sampler_init_scatter_ext(64, 0.2f, 2.5f, 1, true, 0.9f, 0.1f, 0.55f, 0, -5, 9, 0),
            {.strength = 0.2f, .adaptive = true, .strength_min = 0.9f, .strength_max = 0.9f});
    left_by(llama_sampler_init_scatter_ext(64, not_a_number, 2.5f, 1, true, not_a_number, not_a_number,
                                           not_a_number, -1, 64, 1, 0),
            {.adaptive = true});
  }

  TEST_CASE("absorption without end still leaves numbers") {
    const owner sampler(
        llama_sampler_init_scatter_ext(4, 0.2f, 2.5f, 1, false, 0.02f, 0.3f, 0.55f, plus_infinity, -1, 1, 0));
    for (int token = 0; token < 4; ++token) llama_sampler_accept(sampler.get(), token);
    row_of_candidates c(std::vector<float>{3, 2, 1, 0});
    c.apply(sampler);
    CHECK(c.array.size == 4);
    for (std::size_t i = 0; i < c.array.size; ++i) CHECK(std::isfinite(c.array.data[i].logit));
  }

  TEST_CASE("seeds: the same coins again, other coins, and a random one") {
    const auto coins = [](std::uint32_t seed, bool twice) {
      const owner sampler(
          llama_sampler_init_scatter_ext(2, 0.2f, 2.5f, 1, false, 0.02f, 0.3f, 0.55f, 0, 64, 0.5f, seed));
      std::vector<bool> fired;
      const auto flip = [&](const owner& s) {
        row_of_candidates c(std::vector<float>{3, 2, 1});
        c.apply(s);
        fired.push_back(c.array.size == 2);
        llama_sampler_accept(s.get(), 0);
      };
      for (int i = 0; i < 32; ++i) flip(sampler);
      if (!twice) return fired;
      fired.clear();
      llama_sampler_reset(sampler.get());
      for (int i = 0; i < 16; ++i) flip(sampler);
      const owner clone(llama_sampler_clone(sampler.get()));
      for (int i = 0; i < 16; ++i) flip(clone);
      return fired;
    };
    CHECK(coins(5, false) == coins(5, false));
    CHECK(coins(5, true) == coins(5, false));
    CHECK(coins(5, false) != coins(6, false));
    CHECK(coins(LLAMA_DEFAULT_SEED, false) != coins(LLAMA_DEFAULT_SEED, false));
  }
}

}  // namespace
}  // namespace tests
