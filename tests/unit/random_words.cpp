#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <set>

namespace {

using sluice::random::philox;
using sluice::random::source;
using sluice::random::stream;
using sluice::random::words;

}  // namespace

// Random123's known answers for seven rounds; the ten rounds that the library draws with are in philox.tsv.
TEST_CASE("Philox of seven rounds gives the known answers of Random123") {
  constexpr std::uint32_t ones = 0xffffffff;
  static_assert(philox<7>({0, 0, 0, 0}, 0, 0) == words{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48});
  static_assert(philox<7>({ones, ones, ones, ones}, ones, ones) ==
                words{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662});
  static_assert(philox<7>({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
                words{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a});
}

TEST_CASE("the key is the seed and the counter is index, stream and position, low words first") {
  constexpr source from{.seed = 0x0123456789abcdef, .position = 0xfedcba9876543210};
  static_assert(from.at(stream::xtc_coin, 7) ==
                philox({7, 3, 0x76543210, 0xfedcba98}, 0x89abcdef, 0x01234567));
  CHECK(from.at(stream::draw_heads, 7) == words{0x6803f62b, 0x6f78345f, 0xcf8a4c8a, 0xb10bfc1c});
  CHECK(from.at(stream::draw_tails, 7) == words{0x6cea7438, 0xdf215a18, 0x21fd25ff, 0xb6a22b8d});
  CHECK(from.at(stream::softmax_draw, 7) == words{0x34787f0e, 0x47f66305, 0x51b0c1d7, 0x324c2ebc});
  CHECK(from.at(stream::xtc_coin, 7) == words{0x6d5340b9, 0xd9798189, 0x4733dd89, 0x3459a8e8});
  CHECK(from.at(stream::scatter_gate, 7) == words{0xb6556bed, 0x8ebe6026, 0xe6ab00ba, 0x01d696da});
  CHECK(from.at(stream::acceptance, 7) == words{0x955efaf8, 0x2e84ed9a, 0x2da7e1bd, 0xede0075e});
  CHECK(from.at(stream::recovery, 7) == words{0x11577d1e, 0xe1886146, 0x69df3758, 0x3ff1127c});
  CHECK(from.at(stream::mirostat, 7) == words{0xb6f9a5c2, 0x80915a90, 0xedc9797f, 0x2533eda3});
  CHECK(from.at(stream::adaptive_p, 7) == words{0x6f96e89b, 0x4296470f, 0xbc54e9db, 0xf58ae6d9});
  CHECK(from.at(stream::user, 7) == words{0x85e287c8, 0x1eed852c, 0x6718060e, 0x024ef0bf});
}

TEST_CASE("a uniform has 52 bits and lies half a step from both ends") {
  constexpr std::uint64_t last = (std::uint64_t{1} << 52) - 1;
  CHECK(sluice::random::open_unit(0) == 0x1p-53);
  CHECK(sluice::random::open_unit(1) == 0x1.8p-52);
  CHECK(sluice::random::open_unit(last) == 1 - 0x1p-53);
  CHECK(sluice::random::open_unit(words{0, 0xfff, 9, 9}) == 0x1p-53);
  CHECK(sluice::random::open_unit(words{0, 0x1000, 9, 9}) == 0x1.8p-52);
  CHECK(sluice::random::open_unit(words{0x80000000, 0, 9, 9}) == 0.5 + 0x1p-53);
  CHECK(sluice::random::open_unit(words{0xffffffff, 0xffffffff, 0, 0}) == 1 - 0x1p-53);
}

TEST_CASE("a uniform of a tail has 32 bits and lies half a step from both ends") {
  CHECK(sluice::random::open_unit32(0) == 0x1p-33);
  CHECK(sluice::random::open_unit32(1) == 0x1.8p-32);
  CHECK(sluice::random::open_unit32(0x80000000) == 0.5 + 0x1p-33);
  CHECK(sluice::random::open_unit32(0xffffffff) == 1 - 0x1p-33);
}

TEST_CASE("a word scales to the integers below a bound") {
  constexpr std::uint64_t most = 0xffffffffffffffff, total = (std::uint64_t{1} << 44) * 3;
  CHECK(sluice::random::scaled(0, total) == 0);
  CHECK(sluice::random::scaled(most, total) == total - 1);
  CHECK(sluice::random::scaled(std::uint64_t{1} << 63, 10) == 5);
  CHECK(sluice::random::scaled((std::uint64_t{1} << 63) - 1, 10) == 4);
  CHECK(sluice::random::scaled(most, 1) == 0);
}

// Seed 7: the coins of positions 0 to 3 are .5425 .7558 .0230 .2442 for XTC, .4745 .1993 .1045 .1272 for the
// gate.
TEST_CASE("a coin fires below its probability and has its own stream") {
  const auto coin = [](std::uint64_t position, stream s, double p) {
    return sluice::random::coin({7, position}, s, p);
  };
  CHECK(coin(0, stream::xtc_coin, 0.55));
  CHECK_FALSE(coin(0, stream::xtc_coin, 0.54));
  CHECK(coin(0, stream::scatter_gate, 0.48));
  CHECK_FALSE(coin(0, stream::scatter_gate, 0.47));
  CHECK_FALSE(coin(1, stream::xtc_coin, 0.75));
  CHECK(coin(1, stream::scatter_gate, 0.2));
  CHECK(coin(2, stream::xtc_coin, 0.024));
  CHECK_FALSE(coin(2, stream::xtc_coin, 0));
  CHECK(coin(3, stream::xtc_coin, 1));
}

TEST_CASE("a stage of one's own has numbers of its own") {
  sluice::sequence sequence(42, 3);
  CHECK(sequence.uniform(0) == 0x1.c3ea9e71b25c7p-1);
  CHECK(sequence.uniform(5) == 0x1.17b1ae06b35e0p-6);
  sluice::sequence later(42, 0);
  for (int i = 0; i < 3; ++i) later.accept(i);
  CHECK(later.uniform(5) == 0x1.17b1ae06b35e0p-6);
}

TEST_CASE("the operating system gives a new seed each time") {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 100; ++i) seeds.insert(sluice::random_seed());
  CHECK(seeds.size() == 100);
}
