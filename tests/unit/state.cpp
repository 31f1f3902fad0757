// What a saved sequence carries, what `load` refuses, and that no bytes do harm.
#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support.hpp"

namespace {

using sluice::load;
using sluice::save;
using sluice::sequence;
using sluice::token_id;
using tests::generator;

std::vector<float> row_at(std::uint64_t step) {
  generator g(step + 1);
  std::vector<float> row(300);
  for (float& l : row) l = static_cast<float>(g.uniform(-4, 4));
  return row;
}

sluice::sampling_params busy(int mirostat) {
  sluice::sampling_params p;
  p.seed = 9;
  if (mirostat != 0) {
    p.mirostat = mirostat;
    p.mirostat_tau = 3;
  } else {
    p.adaptive_target = 0.2f;
    p.frequency_penalty = 0.2f;
    p.occurrence_counts_prompt = false;
    p.dry_multiplier = 0.8f;
    p.min_p = 0.01f;
  }
  return p;
}

/// A generation with turns and rewinds, whose last draw is not accepted yet.
sequence generation(const sluice::standard_chain& chain, int steps) {
  sequence q(9, 100);
  const std::vector<token_id> prompt{5, 6, 7, 8, 5, 6};
  q.accept_prompt(prompt);
  for (int i = 0; i < steps; ++i) {
    q.accept(chain.sample(row_at(q.position()), q).token);
    if (i % 5 == 4) q.rewind(2);
    if (i % 7 == 6) q.accept_prompt(prompt);
  }
  (void)chain.sample(row_at(q.position()), q);
  return q;
}

/// The checksum set right again.
std::string resealed(std::string bytes) {
  const std::size_t body = bytes.size() - 8;
  const std::uint64_t sum = sluice::detail::hash_of(std::string_view(bytes).substr(0, body));
  for (std::size_t i = 0; i < 8; ++i) bytes[body + i] = static_cast<char>(sum >> (8 * i));
  return bytes;
}

std::string text_of(std::string_view bytes) {
  sequence q(1);
  return load(q, bytes).text;
}

}  // namespace

TEST_CASE("a sequence that was saved goes on with the same tokens, and rewinds as before") {
  for (const int mirostat : {0, 1, 2}) {
    const sluice::standard_chain chain(busy(mirostat));
    sequence here = generation(chain, 40);
    sequence there(1);
    REQUIRE_FALSE(load(there, save(here)));
    CHECK(there.seed() == here.seed());
    CHECK(there.position() == here.position());
    CHECK(there.generated() == here.generated());
    for (int i = 0; i < 40; ++i) {
      if (i % 9 == 8) {
        here.rewind(20);
        there.rewind(20);
      }
      const std::vector<float> row = row_at(here.position());
      sequence aside(here);
      const token_id token = chain.sample(row, aside).token;
      // The first draw was pending when the sequence was saved: it is accepted, and not drawn again.
      if (i > 0) {
        (void)chain.sample(row, here);
        REQUIRE(chain.sample(row, there).token == token);
      }
      here.accept(token);
      there.accept(token);
      REQUIRE(save(here) == save(there));
    }
  }
}

TEST_CASE("an empty sequence and one of foreign ids are saved") {
  sequence empty(3, 7), read(1);
  REQUIRE_FALSE(load(read, save(empty)));
  CHECK(read.position() == 7);
  CHECK(read.tokens().empty());
  sequence odd(3);
  odd.accept(std::vector<token_id>{-5, INT32_MAX, INT32_MIN, 0});
  REQUIRE_FALSE(load(read, save(odd)));
  CHECK(save(read) == save(odd));
}

// The bytes of one state, so that they mean the same in every later version and on every machine.
TEST_CASE("the bytes of a state") {
  sequence q(0x0123456789abcdef, 2);
  q.accept_prompt(std::vector<token_id>{1, 300});
  q.accept(-1);
  const std::string expected(
      "slq\x01\x01\0\0\0"
      "\xef\xcd\xab\x89\x67\x45\x23\x01\x02\0\0\0\0\0\0\0"
      "\x03\0\0\0\x01\0\0\0\x2c\x01\0\0\xff\xff\xff\xff"
      "\x02\0\0\0\0\0\0\0\x02\0\0\0"
      "\0",
      8 + 16 + 16 + 12 + 1);
  CHECK(save(q).substr(0, expected.size()) == expected);
  CHECK(save(q).size() == expected.size() + 8);
}

TEST_CASE("what is no state is refused in words, and the sequence stays as it was") {
  const sluice::standard_chain chain(busy(2));
  sequence q = generation(chain, 10);
  const std::string good = save(q);
  CHECK(text_of("") == "state is not what `save` gives");
  CHECK(text_of("hello, world, this is no state") == "state is not what `save` gives");
  std::string bytes = good;
  bytes[3] = 7;
  CHECK(text_of(resealed(bytes)) == "state must be of version 1, got 7");
  bytes = good;
  bytes[4] = 9;
  CHECK(text_of(resealed(bytes)) == "state must be of draw_version 1, got 9");
  CHECK(text_of(good.substr(0, 30)) ==
        "state is cut short or altered: it says that there is more than it holds");
  CHECK(text_of(good + "x") == "state is altered: it is longer than it says");
  bytes = good;
  bytes[9] ^= 1;
  CHECK(text_of(bytes) == "state is altered: its checksum does not fit");
  bytes = good;
  bytes[24] = bytes[25] = bytes[26] = '\xff';  // the number of tokens
  CHECK(text_of(resealed(bytes)) ==
        "state is cut short or altered: it says that there is more than it holds");
  CHECK(load(q, bytes));
  CHECK(save(q) == good);
  CHECK(load(q, bytes).field == "state");
}

TEST_CASE("parts of a state that do not fit together are refused") {
  const std::string_view unfit = "state is altered: its parts do not fit together";
  sequence turns(1);
  for (int i = 0; i < 3; ++i) {
    turns.accept_prompt(std::vector<token_id>{1, 2});
    turns.accept(3);
  }
  REQUIRE(text_of(save(turns)) == "");
  auto& edges = sluice::detail::sequence_access::of(turns).prompt_edges;
  std::swap(edges[1], edges[2]);
  CHECK(text_of(save(turns)) == unfit);

  // Steps that name weights, from decays that take turns.
  sluice::sampling_params p;
  p.adaptive_target = 0.3f;
  p.adaptive_decay = 0.9f;
  const sluice::standard_chain slow(p);
  p.adaptive_decay = 0.2f;
  const sluice::standard_chain quick(p);
  sequence q(1);
  for (int i = 0; i < 6; ++i)
    q.accept((i % 2 == 0 ? slow : quick).sample(row_at(static_cast<std::uint64_t>(i)), q).token);
  REQUIRE(text_of(save(q)) == "");
  auto& fed = *sluice::detail::sequence_access::of(q).feedback;
  REQUIRE(fed.weights.size() > 2);
  const std::uint32_t before = fed.trail[3].before;
  std::swap(fed.trail[3].before, fed.trail[4].before);
  CHECK(text_of(save(q)) == unfit);
  fed.trail[4].before = fed.trail[3].before;
  fed.trail[3].before = before;
  CHECK(text_of(save(q)) == "");
  fed.trail[2].position = fed.trail[1].position;
  CHECK(text_of(save(q)) == unfit);
}

TEST_CASE("no bytes do harm: cut anywhere, any bit changed, with and without a checksum that fits") {
  generator g(17);
  for (const int mirostat : {0, 2}) {
    const sluice::standard_chain chain(busy(mirostat));
    const std::string good = save(generation(chain, 12));
    for (std::size_t size = 0; size < good.size(); ++size) CHECK(text_of(good.substr(0, size)) != "");
    std::size_t taken = 0;
    for (std::size_t trial = tests::scaled(20'000); trial > 0; --trial) {
      std::string bytes = good;
      for (std::size_t n = 1 + g.below(3); n > 0; --n)
        bytes[g.below(bytes.size())] ^= static_cast<char>(1u << g.below(8));
      if (bytes != good) CHECK(text_of(bytes) != "");
      bytes = resealed(bytes);
      sequence q(1);
      if (load(q, bytes)) continue;
      ++taken;
      // What is taken is used: sampled, accepted, rewound, saved again.
      const std::vector<float> row = row_at(trial);
      for (int i = 0; i < 3; ++i) {
        const sluice::sample_result drawn = chain.sample(row, q);
        if (drawn) q.accept(drawn.token);
      }
      q.rewind(g.below(20));
      (void)chain.sample(row, q);
      sequence again(1);
      CHECK_FALSE(load(again, save(q)));
    }
    CHECK(taken > 0);
  }
}
