// A row of a batch has the token that it has alone: in any batch, at any place, on any number of threads.
#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "rows.hpp"
#include "strided_threads.hpp"
#include "support.hpp"

namespace {

using sluice::batch_item;
using tests::generator;
using tests::strided_threads;

/// What a request brings to a step. Its item points into it.
struct request {
  sluice::standard_chain chain;
  sluice::sequence sequence;
  std::vector<float> floats = {};
  std::vector<std::uint16_t> shorts = {};
  sluice::logit_type narrow = sluice::logit_type::bf16;
  std::vector<std::uint32_t> mask = {};
  std::vector<sluice::token_bias> bias = {};

  batch_item item() {
    batch_item made{.logits = floats, .chain = &chain, .sequence = &sequence};
    if (!shorts.empty()) made.logits = {shorts.data(), shorts.size(), narrow};
    if (!mask.empty()) made.options.mask = sluice::token_mask(mask);
    made.options.bias = bias;
    return made;
  }
};

sluice::sampling_params random_params(generator& g) {
  sluice::sampling_params p;
  p.temperature = g.chance(0.1) ? 0.0f : static_cast<float>(g.uniform(0.3, 2));
  if (g.chance(0.4)) p.top_k = g.between(1, 60);
  if (g.chance(0.4)) p.top_p = static_cast<float>(g.uniform(0.2, 1));
  if (g.chance(0.3)) p.min_p = 0.05f;
  if (g.chance(0.2)) p.typical_p = 0.8f;
  if (g.chance(0.3)) p.frequency_penalty = 0.3f;
  if (g.chance(0.3)) p.dry_multiplier = 0.8f;
  if (g.chance(0.2)) p.xtc_probability = 0.5f;
  if (g.chance(0.1)) p.mirostat = g.between(1, 2);
  if (g.chance(0.1)) p.adaptive_target = 0.3f;
  if (g.chance(0.3)) p.draw = sluice::draw_method::softmax;
  return p;
}

std::vector<request> random_requests(generator& g, std::size_t count) {
  std::vector<request> all;
  for (std::size_t i = 0; i < count; ++i) {
    request r{.chain = sluice::standard_chain(random_params(g)), .sequence = sluice::sequence(g.next())};
    const std::size_t vocab = 1 + g.below(g.chance(0.2) ? 9'000 : 400);
    r.floats = tests::make_row(g, g.pick(tests::all_shapes), vocab);
    if (g.chance(0.3)) {
      for (const float l : r.floats)
        r.shorts.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(l) >> 16));
    } else if (g.chance(0.3)) {  // halves of any size and sign
      r.narrow = sluice::logit_type::f16;
      for (std::size_t k = 0; k < vocab; ++k)
        r.shorts.push_back(static_cast<std::uint16_t>(g.below(0x4800) | g.below(2) << 15));
    }
    if (g.chance(0.3))
      for (std::size_t w = 0; w < (vocab + 31) / 32; ++w)
        r.mask.push_back(static_cast<std::uint32_t>(g.next()));
    if (g.chance(0.2)) r.bias = {{static_cast<sluice::token_id>(g.below(vocab)), 2.0f}};
    for (std::size_t n = g.below(60); n > 0; --n)
      r.sequence.accept(static_cast<sluice::token_id>(g.below(8)));
    // Some that fail.
    const double fault = g.uniform();
    if (fault < 0.05) r.mask.assign((vocab + 31) / 32, 0);
    if (fault > 0.95) r.floats.assign(vocab, std::numeric_limits<float>::quiet_NaN()), r.shorts.clear();
    if (fault > 0.9 && fault < 0.95) r.bias = {{0, std::numeric_limits<float>::quiet_NaN()}};
    all.push_back(std::move(r));
  }
  return all;
}

bool same(const sluice::sample_result& a, const sluice::sample_result& b) {
  return a.token == b.token && a.status == b.status && a.saw_nan == b.saw_nan;
}

std::vector<sluice::sample_result> alone(std::vector<request>& all) {
  std::vector<sluice::sample_result> results;
  for (request& r : all) {
    batch_item item = r.item();
    sluice::workspace fresh;
    item.options.workspace = &fresh;
    results.push_back(r.chain.sample(item.logits, r.sequence, item.options));
  }
  return results;
}

}  // namespace

TEST_CASE("a row's token does not depend on the batch's shape, its order or the threads") {
  generator g(70);
  std::size_t failed = 0;
  for (std::size_t trial = tests::scaled(150); trial > 0; --trial) {
    std::vector<request> all = random_requests(g, 1 + g.below(40));
    const std::vector<sluice::sample_result> expected = alone(all);
    for (const sluice::sample_result& r : expected) failed += !r;
    std::vector<batch_item> items;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i)
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(g.below(i + 1)), i);
    for (const std::size_t i : order) items.push_back(all[i].item());
    // In pieces, one thread; then whole, on many.
    for (std::size_t first = 0; first < items.size();) {
      const std::size_t size = 1 + g.below(items.size() - first);
      sluice::sample_batch(std::span(items).subspan(first, size));
      first += size;
    }
    for (std::size_t i = 0; i < items.size(); ++i) CHECK(same(items[i].result, expected[order[i]]));
    for (const std::size_t threads : {2u, 5u}) {
      for (batch_item& item : items) item.result = {};
      sluice::sample_batch(items, strided_threads{threads});
      for (std::size_t i = 0; i < items.size(); ++i) CHECK(same(items[i].result, expected[order[i]]));
    }
  }
  CHECK(failed > 0);
}

TEST_CASE("a record in a batch is that of the row alone") {
  generator g(71);
  for (std::size_t trial = tests::scaled(100); trial > 0; --trial) {
    std::vector<request> all = random_requests(g, 12);
    std::vector<sluice::sample_record> in_batch(all.size()), by_itself(all.size());
    std::vector<std::vector<sluice::token_id>> kept(2 * all.size(), std::vector<sluice::token_id>(50, -2));
    std::vector<batch_item> items;
    for (std::size_t i = 0; i < all.size(); ++i) {
      in_batch[i].kept = kept[2 * i];
      by_itself[i].kept = kept[2 * i + 1];
      items.push_back(all[i].item());
      items[i].options.record = &by_itself[i];
      (void)all[i].chain.sample(items[i].logits, all[i].sequence, items[i].options);
      items[i].options.record = &in_batch[i];
    }
    sluice::sample_batch(items, strided_threads{3});
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(in_batch[i].kept_count == by_itself[i].kept_count);
      CHECK(in_batch[i].logprob == by_itself[i].logprob);
      CHECK(kept[2 * i] == kept[2 * i + 1]);
      CHECK((in_batch[i].kept_count == 0) == !items[i].result);
    }
  }
}

TEST_CASE("an item without a chain or a sequence gives no token, and harms no other") {
  const sluice::standard_chain chain(sluice::sampling_params{});
  sluice::sequence q(1), other(1);
  const std::vector<float> row{1, 2, 3};
  std::vector<batch_item> items{{.logits = row, .sequence = &other},
                                {.logits = row, .chain = &chain, .sequence = &q},
                                {.logits = row, .chain = &chain}};
  sluice::sample_batch(items);
  CHECK(items[0].result.status == sluice::sample_status::no_token_left);
  CHECK(items[2].result.status == sluice::sample_status::no_token_left);
  CHECK(items[1].result.token == chain.sample(row, q).token);
  sluice::sample_batch({});
}

TEST_CASE("a row that is too long fails alone") {
  const sluice::standard_chain chain(sluice::sampling_params{});
  sluice::sequence a(1), b(2);
  const std::vector<float> row(10, 1.0f), long_row(std::size_t{1} << 20, 0.0f);
  std::vector<batch_item> items{{.logits = long_row, .chain = &chain, .sequence = &a},
                                {.logits = row, .chain = &chain, .sequence = &b}};
  sluice::sample_batch(items);
  CHECK(items[0].result.status == sluice::sample_status::row_too_long);
  CHECK(items[1].result);
}

TEST_CASE("rows of a buffer are seen with their stride, in every logit type") {
  std::vector<float> floats;
  for (int i = 0; i < 24; ++i) floats.push_back(static_cast<float>(i));
  const sluice::logits_rows tight(floats.data(), 4, 6), wide(floats.data(), 3, 5, 8);
  CHECK(tight.size() == 4);
  CHECK(tight.vocab_size() == 6);
  CHECK(tight[1].size() == 6);
  CHECK(tight[1].data() == floats.data() + 6);
  CHECK(wide[2].data() == floats.data() + 16);
  CHECK(wide[2].size() == 5);
  const std::vector<std::uint16_t> shorts(24);
  const sluice::logits_rows narrow(shorts.data(), 3, 5, 8, sluice::logit_type::f16);
  CHECK(narrow[2].data() == shorts.data() + 16);
  CHECK(narrow[2].type() == sluice::logit_type::f16);
  CHECK(sluice::logits_rows().size() == 0);
}
