#include "steps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "../support.hpp"

namespace golden {
namespace {

// Values are bits until they stand in memory: under -ffast-math a function may not give back NaN or infinity.

constexpr std::uint32_t infinity = 0x7F800000, nan = 0x7FC00000, sign = 0x80000000;

/// A multiple of 2^-10, exact for |n| < 2^24.
std::uint32_t grid(std::int32_t n) { return std::bit_cast<std::uint32_t>(static_cast<float>(n) * 0x1p-10f); }

/// A sum of four uniform integers: a bell of deviation 2.3 on the grid, in ±8.
std::int32_t bell(std::uint64_t word) {
  std::int32_t sum = -0x10000;
  for (int part = 0; part < 4; ++part) sum += std::int32_t((word >> (16 * part)) & 0x7FFF);
  return sum / 8;
}

enum class shape {
  bell,
  peaked,
  flat,
  wide,
  ties,
  two,
  constant,
  sorted,
  holes,
  bad,
  forced,
  tiny,
  huge,
  any
};

constexpr std::array shapes{shape::bell,   shape::peaked, shape::flat,   shape::wide,
                            shape::ties,   shape::two,    shape::bell,   shape::constant,
                            shape::sorted, shape::holes,  shape::peaked, shape::bad,
                            shape::forced, shape::tiny,   shape::huge,   shape::any};

std::uint32_t element(shape s, std::uint64_t word) {
  const std::int32_t n = bell(word);
  const std::uint64_t other = word * 0x9E3779B97F4A7C15ull >> 40;
  switch (s) {
    case shape::peaked:
      return grid(other % 300 == 0 ? 14'000 + n / 2 : n);
    case shape::flat:
      return grid(n / 64);
    case shape::wide:
      return grid(n * 8);
    case shape::ties:
      return grid(n / 1024 * 1024);
    case shape::two:
      return grid(other % 3 == 0 ? 2048 : -1024);
    case shape::constant:
      return grid(-1500);
    case shape::holes:
      return other % 2 == 0 ? sign | infinity : grid(n);
    case shape::bad:
      return other % 5 == 0 ? nan : other % 7 == 0 ? sign | infinity : grid(n);
    case shape::forced:
      return other % 200 == 0 ? infinity : grid(n);
    case shape::tiny:  // subnormals and zeros of both signs among others
      return other % 3 == 0 ? grid(n) : std::uint32_t(word) & (other % 3 == 1 ? sign : sign | 0x7FFFFF);
    case shape::huge:
      return (std::uint32_t(word) & sign) | 0x7F7F0000u | (std::uint32_t(other) & 0xFFFF);
    case shape::any:
      return std::uint32_t(word);
    case shape::bell:
    case shape::sorted:
      break;
  }
  return grid(n);
}

/// Mostly some hundreds; the sizes around a block and a mask word often; one in fifty long.
std::size_t size_of(tests::generator& g, std::size_t index) {
  constexpr std::array<std::size_t, 12> edges{1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 512, 513};
  if (index % 50 == 49) return 32'000 + g.below(12'000);
  if (index % 10 == 3) return g.pick(edges);
  return 1 + g.below(g.pick(std::array<std::size_t, 4>{40, 400, 1'200, 3'000}));
}

/// The nearest value below in magnitude that the form has; what is too small becomes 0, too large 32,768.
std::uint32_t rounded(form to, std::uint32_t bits) {
  const std::uint32_t magnitude = bits & ~sign;
  if (to == form::bf16) return magnitude > infinity ? nan : bits & 0xFFFF0000u;
  if (to != form::f16 || magnitude == infinity) return bits;
  if (magnitude > infinity) return nan;
  if (magnitude < 0x38800000u) return bits & sign;
  if (magnitude >= 0x47800000u) return (bits & sign) | 0x47000000u;
  return bits & 0xFFFFE000u;
}

std::uint32_t bits_of(const float& value) { return std::bit_cast<std::uint32_t>(value); }

void put(float& value, std::uint32_t bits) { std::memcpy(&value, &bits, sizeof value); }

/// The 16 bits of a value that `form` has.
std::uint16_t narrow(form to, const float& value) {
  const std::uint32_t bits = bits_of(value), magnitude = bits & ~sign;
  if (to == form::bf16) return static_cast<std::uint16_t>(bits >> 16);
  const std::uint32_t half = magnitude == 0          ? 0
                             : magnitude >= infinity ? 0x7C00 | (magnitude >> 13 & 0x3FF)
                                                     : (magnitude - 0x38000000u) >> 13;
  return static_cast<std::uint16_t>(bits >> 16 & 0x8000) | static_cast<std::uint16_t>(half);
}

/// The tokens of a row in no order, -inf left out, one in fifty once more with a logit that must not count.
pairs make_pairs(const step& s) {
  tests::generator g(s.seed);
  pairs result;
  for (std::size_t i = 0; i < s.logits.size(); ++i)
    if (bits_of(s.logits[i]) != (sign | infinity)) result.ids.push_back(static_cast<sluice::token_id>(i));
  for (std::size_t i = result.ids.size(); i > 1; --i) std::swap(result.ids[i - 1], result.ids[g.below(i)]);
  for (const sluice::token_id id : result.ids) result.logits.push_back(s.logits[std::size_t(id)]);
  for (std::size_t i = 0, size = result.ids.size(); i < size; i += 50) {
    result.ids.push_back(result.ids[i]);
    result.logits.push_back(1000);
  }
  return result;
}

}  // namespace

sluice::logits_view held_row::of(const step& s, form as) {
  if (as == form::f32) return s.logits;
  if (as == form::sparse) {
    sparse = make_pairs(s);
    return {sparse.ids, sparse.logits};
  }
  halves.clear();
  for (const float logit : s.logits) halves.push_back(narrow(as, logit));
  const bool half = as == form::f16;
  return {halves.data(), halves.size(), half ? sluice::logit_type::f16 : sluice::logit_type::bf16};
}

std::uint64_t seed_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

step make_step(const test_case& of, std::size_t index) {
  tests::generator g(seed_of(of.name) + index);
  step s;
  s.seed = g.next();
  const shape kind = shapes[(index + g.below(2)) % shapes.size()];
  s.logits.resize(size_of(g, index));
  const std::size_t size = s.logits.size();
  for (float& logit : s.logits) put(logit, rounded(of.row, element(kind, g.next())));
  if (kind == shape::sorted) std::sort(s.logits.begin(), s.logits.end(), std::greater<>());

  if (of.added == extras::mask || of.added == extras::both) {
    s.mask.resize((size + 31) / 32 + g.below(2));
    if (index % 9 == 5) s.mask.resize(1 + s.mask.size() / 2);
    const bool few = index % 3 == 0;
    for (std::uint32_t& word : s.mask) {
      word = static_cast<std::uint32_t>(g.next() & (few ? g.next() & g.next() & g.next() : ~0ull));
      if (g.below(4) == 0) word = few || g.below(2) == 0 ? 0 : ~0u;
    }
  }
  if (of.added == extras::bias || of.added == extras::both) {
    const auto bias = [&](std::size_t id, std::uint32_t bits) {
      s.bias.push_back({static_cast<sluice::token_id>(id), 0});
      put(s.bias.back().bias, bits);
    };
    for (std::size_t count = g.below(5); count > 0; --count) {
      const std::size_t id = g.below(size);
      bias(id, grid(g.between(-4'000, 6'000)));
    }
    if (index % 20 == 7) bias(0, infinity);
    if (index % 20 == 11) bias(0, sign | infinity);
  }
  return s;
}

}  // namespace golden
