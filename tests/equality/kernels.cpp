// Every kernel on every tier: the bits of the plain loops.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sluice/sluice.hpp>
#include <vector>

#include "rows.hpp"
#include "support.hpp"
#include "tiers.hpp"

#if defined(__clang__) && defined(SLUICE_HAS_AVX2)
// The AVX-512 kernels from 256-bit instructions: their code is tried on machines without AVX-512 too.
#pragma clang diagnostic ignored "-Wpsabi"
namespace sluice::inline v1::inline SLUICE_ISA::kernel::sixteen {
SLUICE_TARGET_BEGIN("avx2")
inline constexpr std::size_t width = 16;
#include <sluice/kernel/vector/operations_x86.inc>
// Written with them:
#include <sluice/kernel/vector/kernels.inc>
SLUICE_TARGET_END
}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel::sixteen
#endif

namespace {

using namespace sluice::kernel;
using sluice::instruction_tier;
using tests::generator;

/// The tier's kernels; beside AVX2 in clang the AVX-512 ones of 256-bit instructions.
std::vector<const table*> tables_of(instruction_tier tested) {
  std::vector<const table*> found{&kernels(tested)};
#if defined(__clang__) && defined(SLUICE_HAS_AVX2)
  if (tested == instruction_tier::avx2) found.push_back(&sixteen::kernels);
#endif
  return found;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// A row at some offset from any alignment.
struct shifted_row {
  std::vector<float> memory;
  std::size_t offset, size;
  const float* data() const { return memory.data() + offset; }
};

shifted_row shifted(generator& g, std::vector<float> row) {
  shifted_row result{std::vector<float>(row.size() + 16), g.below(16), row.size()};
  std::copy(row.begin(), row.end(), result.memory.begin() + static_cast<std::ptrdiff_t>(result.offset));
  return result;
}

/// The same tokens as a list: every block sparse, some tokens left out.
struct list_of {
  std::vector<float> logits;
  std::vector<sluice::token_id> ids;
  std::vector<block> blocks;
};

list_of as_list(generator& g, const std::vector<block>& dense) {
  list_of list;
  std::vector<std::size_t> ends;
  for (const block& b : dense) {
    for (std::uint32_t i = 0; i < b.count; ++i) {
      if (!(b.logits[i] >= lowest) || g.chance(0.3)) continue;
      list.ids.push_back(b.id(i));
      list.logits.push_back(b.logits[i]);
    }
    ends.push_back(list.ids.size());
  }
  std::size_t begin = 0;
  for (std::size_t b = 0; b < dense.size(); begin = ends[b++]) {
    if (ends[b] == begin) continue;
    list.blocks.push_back({.logits = list.logits.data() + begin,
                           .ids = list.ids.data() + begin,
                           .first = dense[b].first,
                           .count = static_cast<std::uint32_t>(ends[b] - begin),
                           .max = max_of(list.logits.data() + begin, ends[b] - begin, lowest)});
  }
  return list;
}

/// All sums and lists over some blocks, on one tier against the plain loops.
void blocks_agree(const table& plain, const table& tier, const std::vector<block>& blocks, generator& g) {
  float max = tests::minus_infinity;
  std::size_t tokens = 0;
  for (const block& b : blocks) {
    max = b.max > max ? b.max : max;
    tokens += b.count;
  }
  const block* const first = blocks.data();
  const std::size_t count = blocks.size();
  bool all_present = true;
  for (const block& b : blocks)
    for (std::uint32_t i = 0; i < b.count; ++i) all_present &= b.logits[i] >= lowest;
  const float threshold = all_present && g.chance(0.5) ? tests::minus_infinity
                          : g.chance(0.5)              ? lowest
                                                       : static_cast<float>(double(max) - g.uniform(0, 6));
  if (!(max >= lowest) || !(max >= threshold)) return;

  const float shift = std::isfinite(blocks[0].logits[0]) ? blocks[0].logits[0] : max;
  const fast_moments m = plain.moments(first, count, threshold, shift),
                     vm = tier.moments(first, count, threshold, shift);
  REQUIRE(vm.count == m.count);
  REQUIRE(bits(vm.sum) == bits(m.sum));
  REQUIRE(bits(vm.squares) == bits(m.squares));

  const mass_sums w = plain.weighted_mass(first, count, threshold, double(max)),
                  vw = tier.weighted_mass(first, count, threshold, double(max));
  REQUIRE(vw.total == w.total);
  REQUIRE(bits(vw.weighted) == bits(w.weighted));

  const auto c = static_cast<float>(1.44269504 / g.uniform(0.3, 3));
  const collision_sums a = plain.collision(first, count, threshold, max, c),
                       va = tier.collision(first, count, threshold, max, c);
  REQUIRE(va.count == a.count);
  REQUIRE(bits(va.sum) == bits(a.sum));
  REQUIRE(bits(va.excess) == bits(a.excess));

  REQUIRE(tier.count(first, count, threshold) == plain.count(first, count, threshold));

  const float below =
      g.chance(0.5) ? tests::plus_infinity : static_cast<float>(double(max) - g.uniform(0, 2));
  std::vector<rank_key> keys(tokens + 1), vkeys(tokens + 1);
  keys.resize(plain.collect(first, count, threshold, below, keys.data()));
  vkeys.resize(tier.collect(first, count, threshold, below, vkeys.data()));
  REQUIRE(vkeys == keys);

  const mass_sums t = plain.mass(first, count, threshold, double(max)),
                  vt = tier.mass(first, count, threshold, double(max));
  REQUIRE(t.total == w.total);
  REQUIRE(vt.total == w.total);

  // Approximate sums may come in any order; they must hold the true ones. Some pivots are logits of tokens.
  const block& any = blocks[g.below(count)];
  const float some = any.logits[g.below(any.count)];
  const float pivot = g.chance(0.1)                     ? tests::minus_infinity
                      : g.chance(0.3) && some >= lowest ? some
                                                        : static_cast<float>(double(max) - g.uniform(0, 8));
  long double reached = 0, visited = 0;
  std::size_t ties = 0;
  for (const block& b : blocks) {
    if (!(b.max >= pivot)) continue;
    each_token(&b, 1, threshold, [&](sluice::token_id, float l) {
      const long double e = std::exp(static_cast<long double>(l) - static_cast<long double>(max));
      visited += e;
      if (l >= pivot) reached += e;
      ties += l == pivot;
    });
  }
  for (const table* one : {&plain, &tier}) {
    const approx_masses found = one->approx_mass(first, count, threshold, pivot, max);
    const auto holds = [](double sum, long double exact) {
      return sum >= exact * (1 - 7e-5L) && sum <= exact * 1.0615L * (1 + 7e-5L) + 1e-30L;
    };
    REQUIRE(holds(found.reached, reached));
    REQUIRE(holds(found.visited, visited));
    REQUIRE(found.ties == ties);
  }
}

void rows_agree(generator& g, const std::vector<float>& logits, instruction_tier tested) {
  const shifted_row row = shifted(g, logits);
  const table& plain = kernels(instruction_tier::scalar);
  const std::size_t count = (row.size + 255) / 256;
  std::vector<block> blocks(count), vblocks(count);
  const row_content content = plain.index(row.data(), row.size, blocks.data());
  INFO(tests::to_text(logits));
  for (const table* tier : tables_of(tested)) {
    const row_content seen = tier->index(row.data(), row.size, vblocks.data());
    REQUIRE(seen.nan == content.nan);
    REQUIRE((content.all_finite || !seen.all_finite));  // sums may overflow
    for (std::size_t b = 0; b < count; ++b) {
      REQUIRE(vblocks[b].max == blocks[b].max);
      REQUIRE(vblocks[b].first == blocks[b].first);
      REQUIRE(vblocks[b].count == blocks[b].count);
      REQUIRE(vblocks[b].logits == blocks[b].logits);
    }
    const float least = static_cast<float>(g.gaussian());
    REQUIRE(tier->count_at_least(row.data(), row.size, least) ==
            plain.count_at_least(row.data(), row.size, least));
    const bool has_infinity = std::any_of(logits.begin(), logits.end(),
                                          [](float l) { return l > std::numeric_limits<float>::max(); });
    if (count == 0 || has_infinity) continue;  // a row with +inf is indexed, and then replaced
    blocks_agree(plain, *tier, blocks, g);
    const list_of list = as_list(g, blocks);
    if (!list.blocks.empty()) blocks_agree(plain, *tier, list.blocks, g);
  }
}

/// How far the bound of a block minimum may lie above its noise, by the smallest exponential -ln(u) / 256: as
/// documented for u >= 1/2, for u > 2^-11 and below.
double most_above(double smallest) {
  return smallest <= std::log(2) / 256 ? 0.1 : smallest < 11 * std::log(2) / 256 ? 1.4 : 3;
}

}  // namespace

TIER_CASE("every kernel gives the same bits on every tier, for every length and alignment") {
  generator g(51);
  for (std::size_t size = 0; size <= 600; ++size) {
    for (std::size_t i = 0; i < tests::scaled(80); ++i) {
      std::vector<float> row(size);
      const double sigma = g.uniform(0.1, 8);
      const bool tied = g.chance(0.2);
      for (float& l : row) {
        l = static_cast<float>(sigma * g.gaussian());
        if (tied) l = std::round(l);
        if (g.chance(0.05)) l = tests::minus_infinity;
      }
      rows_agree(g, row, tested);
    }
  }
}

TIER_CASE("a special value is seen at every place of a short row and at random places of a long one") {
  generator g(52);
  const std::array specials{
      tests::not_a_number, tests::plus_infinity, tests::minus_infinity, -0.0f, 3e38f, -3e38f, 1e-40f};
  for (const float special : specials) {
    for (std::size_t size = 1; size <= 64; ++size) {
      for (std::size_t at = 0; at < size; ++at) {
        std::vector<float> row(size);
        for (float& l : row) l = static_cast<float>(g.gaussian());
        row[at] = special;
        rows_agree(g, row, tested);
      }
    }
    for (std::size_t i = 0; i < tests::scaled(3'000); ++i) {
      std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 1 + g.below(3000));
      row[g.below(row.size())] = special;
      rows_agree(g, row, tested);
    }
  }
}

TIER_CASE("noise has the bits of its definition on every tier, and the bounds of block minima hold it") {
  generator g(53);
  for (std::size_t i = 0; i < tests::scaled(20'000); ++i) {
    const sluice::random::source from{g.next(), g.next()};
    std::vector<std::uint32_t> numbers(g.below(70));
    for (std::uint32_t& n : numbers) n = static_cast<std::uint32_t>(g.below(4096));
    std::vector<float> bounds(numbers.size());
    std::vector<std::uint8_t> slots(numbers.size());
    for (const instruction_tier tier : {instruction_tier::scalar, tested}) {
      kernels(tier).minimum_bounds(numbers.data(), numbers.size(), from, bounds.data(), slots.data());
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const auto least = sluice::random::noise_minimum(from, numbers[k]);
        REQUIRE(slots[k] == least.slot);
        REQUIRE(double(bounds[k]) >= sluice::random::gumbel(least.exponential) + 0x1p-30);
        REQUIRE(double(bounds[k]) <=
                sluice::random::gumbel(least.exponential) + most_above(least.exponential));
      }
      std::vector<double> values(numbers.size()), noise(numbers.size());
      kernels(tier).minima(numbers.data(), numbers.size(), from, values.data());
      kernels(tier).gumbels(values.data(), values.size(), noise.data());
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        REQUIRE(bits(values[k]) == bits(sluice::random::noise_minimum(from, numbers[k]).exponential));
        REQUIRE(bits(noise[k]) == bits(sluice::random::gumbel(values[k])));
      }
      kernels(tier).excesses(numbers.data(), numbers.size(), from, values.data());
      for (std::size_t k = 0; k < numbers.size(); ++k)
        REQUIRE(bits(values[k]) == bits(sluice::random::noise_excess(from, numbers[k])));
    }
  }
}

TIER_CASE("all 65,536 halves and bfloat16s are widened alike on every tier") {
  std::vector<std::uint16_t> row(65'536);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::uint16_t>(i);
  for (const auto type : {sluice::logit_type::f16, sluice::logit_type::bf16}) {
    std::vector<float> plain(row.size()), wide(row.size());
    kernels(instruction_tier::scalar).widen(row.data(), row.size(), type, plain.data());
    for (const table* tier : tables_of(tested)) {
      tier->widen(row.data(), row.size(), type, wide.data());
      for (std::size_t i = 0; i < row.size(); ++i)
        REQUIRE(std::bit_cast<std::uint32_t>(wide[i]) == std::bit_cast<std::uint32_t>(plain[i]));
    }
  }
}

TIER_CASE("16-bit rows are indexed as they are, with the maxima of their floats") {
  generator g(54);
  for (std::size_t i = 0; i < tests::scaled(20'000); ++i) {
    const auto type = g.chance(0.5) ? sluice::logit_type::f16 : sluice::logit_type::bf16;
    std::vector<std::uint16_t> row(1 + g.below(1200));
    const bool specials = g.chance(0.5);
    for (std::uint16_t& bits : row) {
      do bits = static_cast<std::uint16_t>(g.next());
      while (!specials && (bits & 0x7fff) >= infinity16(type));
      if (g.chance(0.01)) bits = static_cast<std::uint16_t>(infinity16(type) | (g.chance(0.5) ? 0x8000 : 0));
    }
    // Blocks of one sign, whose best has the lowest bits or the highest; -0 is the best of negative ones.
    for (std::size_t first = 0; first < row.size(); first += 256) {
      const double kind = g.uniform();
      for (std::size_t k = first; k < std::min(first + 256, row.size()) && kind < 0.6; ++k) {
        row[k] = static_cast<std::uint16_t>(kind < 0.4 ? row[k] | 0x8000 : row[k] & 0x7fff);
        if (kind < 0.1 && k % 50 == 7) row[k] = 0x8000;
      }
    }
    std::vector<float> wide(row.size());
    kernels(instruction_tier::scalar).widen(row.data(), row.size(), type, wide.data());
    std::vector<block> floats((row.size() + 255) / 256), blocks(floats.size());
    const row_content expected =
        kernels(instruction_tier::scalar).index(wide.data(), wide.size(), floats.data());
    std::vector<const table*> tiers = tables_of(tested);
    tiers.push_back(&kernels(instruction_tier::scalar));
    for (const table* tier : tiers) {
      const row_content content = tier->index_narrow(row.data(), row.size(), type, blocks.data());
      REQUIRE(content.nan == expected.nan);
      REQUIRE(content.all_finite == expected.all_finite);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        REQUIRE(blocks[b].logits == nullptr);
        REQUIRE(blocks[b].first == floats[b].first);
        REQUIRE(blocks[b].count == floats[b].count);
        if (!content.nan) REQUIRE(blocks[b].max == floats[b].max);
      }
    }
  }
}
