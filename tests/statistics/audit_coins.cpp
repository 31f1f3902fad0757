#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "library.hpp"

// The coins as functions of their word, and the word as a function of stream, seed and position.

namespace {

using sluice::random::source;
using sluice::random::stream;

constexpr std::array probabilities{0.0,  0x1p-33, 0x1p-32, 1e-9, 0x1p-25, 1e-6,        1e-3, 0.1,
                                   0.25, 0.5,     0.75,    0.9,  0.999,   1 - 0x1p-33, 1.0};

/// Whether fires(word, p) for p 2^32 words, up to one: it fires for the words below some word.
template <class Fires>
bool fires_for_its_share(Fires fires) {
  for (const double p : probabilities) {
    std::uint64_t low = 0, high = std::uint64_t{1} << 32;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (fires(static_cast<std::uint32_t>(middle), p)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (std::fabs(double(low) - p * 0x1p32) > 1) return false;
  }
  return true;
}

double unit_of(std::uint32_t word) { return (double(word) + 0.5) * 0x1p-32; }

/// Whether fires(from, p) is u < p of the word of this stream: p is taken at u and a step above it.
template <class Real, class Fires>
bool fires_below(stream s, std::size_t count, Fires fires) {
  tests::generator g(31);
  for (; count > 0; --count) {
    const source from{g.next(), g.next() >> g.below(64)};
    const double u = unit_of(sluice::random::philox(
        {0, std::uint32_t(s), std::uint32_t(from.position), std::uint32_t(from.position >> 32)},
        std::uint32_t(from.seed), std::uint32_t(from.seed >> 32))[0]);
    auto at_most = static_cast<Real>(u);
    if (double(at_most) > u) at_most = std::nextafter(at_most, Real(0));
    const Real above = std::nextafter(at_most, Real(1));
    if (fires(from, at_most) || !fires(from, above)) return false;
  }
  return true;
}

/// Does XTC remove one of two equal tokens?
bool xtc_fires(const source& from, float probability) {
  sluice::sampling_params p;
  p.xtc_probability = probability;
  const tests::statistics::row_to_draw row{{0, 0}};
  return tests::statistics::library_chain(p).distribution(row, from.seed, from.position).size() == 1;
}

/// Does scatter cut four tokens to two?
bool scatter_fires(const source& from, float probability) {
  sluice::sampling_params p;
  p.scatter_strength = 0.5f;
  p.scatter_k = 2;
  p.scatter_collision = probability;
  const tests::statistics::row_to_draw row{{0, 0, 0, 0}};
  return tests::statistics::library_chain(p).distribution(row, from.seed, from.position).size() == 2;
}

auto coin_of(stream s) {
  return [s](const source& from, double p) { return sluice::random::coin(from, s, p); };
}

}  // namespace

TEST_CASE("a coin fires for its probability of the words") {
  CHECK(fires_for_its_share([](std::uint32_t word, double p) { return unit_of(word) < p; }));
  CHECK_FALSE(fires_for_its_share(
      [](std::uint32_t word, double p) { return (double(word >> 8) + 0.5) * 0x1p-24 < p; }));
  CHECK_FALSE(
      fires_for_its_share([](std::uint32_t word, double p) { return float(word) * 0x1p-32f < float(p); }));
}

TEST_CASE("a coin is the first word of its stream at index 0") {
  const std::size_t count = tests::scaled(1'000'000);
  for (const stream s : {stream::xtc_coin, stream::scatter_gate})
    CHECK(fires_below<double>(s, count, coin_of(s)));
}

TEST_CASE("XTC and scatter toss the documented coins") {
  const std::size_t count = tests::scaled(200'000);
  CHECK(fires_below<float>(stream::xtc_coin, count, xtc_fires));
  CHECK(fires_below<float>(stream::scatter_gate, count, scatter_fires));
}

TEST_CASE("a probability at the coin tells another stream, another word, <= for < and another position") {
  constexpr stream s = stream::xtc_coin;
  const std::size_t count = tests::scaled(1'000);
  CHECK_FALSE(fires_below<float>(s, count, scatter_fires));
  CHECK_FALSE(fires_below<double>(s, count, coin_of(stream::scatter_gate)));
  CHECK_FALSE(fires_below<double>(
      s, count, [](const source& from, double p) { return unit_of(from.at(s, 0)[1]) < p; }));
  CHECK_FALSE(fires_below<double>(
      s, count, [](const source& from, double p) { return unit_of(from.at(s, 1)[0]) < p; }));
  CHECK_FALSE(fires_below<double>(
      s, count, [](const source& from, double p) { return unit_of(from.at(s, 0)[0]) <= p; }));
  CHECK_FALSE(fires_below<double>(s, count, [](const source& from, double p) {
    return unit_of(source{from.seed, 0}.at(s, 0)[0]) < p;
  }));
  CHECK_FALSE(fires_below<double>(s, count, [](const source& from, double p) {
    return unit_of(source{from.seed, from.position & 0xffffffff}.at(s, 0)[0]) < p;
  }));
}
