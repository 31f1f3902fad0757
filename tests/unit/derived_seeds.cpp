#include <doctest/doctest.h>

#include <sluice/random/derive_seed.hpp>

#include <cstdint>
#include <set>
#include <string_view>

#include "oracle_noise.hpp"

namespace {

/// Words 0 and 1 of a stream's number 0 at a position, by the oracle's own Philox.
std::uint64_t words_of(std::uint64_t seed, std::uint64_t position, std::uint32_t stream) {
  const tests::oracle::words w = tests::oracle::place_in_time{seed, position}.at(stream, 0);
  return std::uint64_t{w[0]} << 32 | w[1];
}

std::uint64_t fnv_1a(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  return hash;
}

}  // namespace

TEST_CASE("a derived seed is a word pair of a stream of its own") {
  for (const std::uint64_t seed : {0ull, 42ull, ~0ull}) {
    for (const std::uint64_t index : {0ull, 1ull, 1ull << 40}) {
      CHECK(sluice::derive_seed(seed, index) == words_of(seed, index, 10));
    }
    for (const std::string_view name : {"", "a", "choice", "\xff\x80"})
      CHECK(sluice::derive_seed(seed, name) == words_of(seed, fnv_1a(name), 11));
  }
  CHECK(fnv_1a("a") == 0xaf63dc4c8601ec8c);  // of the authors' list
  std::set<std::uint64_t> all;
  for (std::uint64_t i = 0; i < 10'000; ++i) all.insert(sluice::derive_seed(42, i));
  CHECK(all.size() == 10'000);
}
