#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <array>
#include <cmath>
#include <cstdint>

#include "noise_field.hpp"
#include "support.hpp"

// The noise field as a function of its words: P(E > t) is counted by bisection, not sampled.

using namespace tests::statistics;

namespace {

using real = long double;

constexpr std::array times{1e-18, 1e-12, 1e-6, 1e-4, 1e-3, 0.003, 0.01, 0.03,
                           0.1,   0.3,   0.7,  1.0,  2.0,  5.0,   10.0, 20.0};

/// The number of words below `end` with exponential(word) > t: it falls from word to word.
template <class Exponential>
std::uint64_t words_above(Exponential exponential, std::uint64_t end, double t) {
  std::uint64_t low = 0;
  while (low < end) {
    const std::uint64_t middle = low + (end - low) / 2;
    if (exponential(middle) > t) {
      low = middle + 1;
    } else {
      end = middle;
    }
  }
  return low;
}

/// Whether P(E > t) = e^(-rate t) up to one word of 2^bits, at every t.
template <class Exponential>
bool is_exponential(Exponential exponential, int bits, double rate) {
  const std::uint64_t end = std::uint64_t{1} << bits;
  for (const double t : times) {
    const real expected = std::ldexp(std::exp(real(-t) * real(rate)), bits);
    if (std::fabs(real(words_above(exponential, end, t)) - expected) > 1) return false;
  }
  return true;
}

/// What the token at its block's place has.
enum class at_place { head_alone, head_and_tail };

/// P(E <= t) of one token: the sum over the words of its tail, each with the law of the head. `bits`: of the
/// tail's uniform.
real probability_up_to(double t, int bits, at_place smallest) {
  const auto head = [](real rest) { return -std::expm1(-256 * rest); };
  const auto tail = [bits](std::uint64_t word) {
    return -sluice::kernel::ln_normal((double(word) + 0.5) * std::ldexp(1.0, -bits));
  };
  const std::uint64_t end = std::uint64_t{1} << bits;
  real sum = 0;
  for (std::uint64_t word = words_above(tail, end, t); word < end; ++word)
    sum += head(real(t) - real(tail(word)));
  const real others = std::ldexp(sum, -bits);
  return smallest == at_place::head_alone ? head(t) / 256 + others * 255 / 256 : others;
}

/// Whether P(E <= t) = 1 - e^-t within 3e-8, relative.
bool is_unit_exponential(int bits, at_place smallest) {
  constexpr std::array short_times{0x1p-45, 0x1p-34, 0x1p-33, 0x1p-32, 0x1p-31,
                                   1e-8,    0x1p-20, 1e-5,    1e-4,    0x1p-11};
  for (const double t : short_times) {
    const real expected = -std::expm1(-real(t));
    if (std::fabs(probability_up_to(t, bits, smallest) - expected) > 3e-8L * expected) return false;
  }
  return true;
}

double head_of_word(std::uint64_t bits52) {
  return -sluice::kernel::ln_normal(sluice::random::open_unit(bits52)) / 256;
}

double tail_of_word(std::uint64_t word) {
  return -sluice::kernel::ln_normal(sluice::random::open_unit32(static_cast<std::uint32_t>(word)));
}

}  // namespace

TEST_CASE("the smallest exponential of a block is exponential of rate 256 to the last word") {
  CHECK(is_exponential(head_of_word, 52, 256));
}

TEST_CASE("the tail of a token is exponential to the last word") {
  CHECK(is_exponential(tail_of_word, 32, 1));
}

TEST_CASE("the words tell a head that is not divided, one of 24 bits, and noise in float") {
  CHECK_FALSE(is_exponential([](std::uint64_t k) { return 256 * head_of_word(k); }, 52, 256));
  CHECK_FALSE(is_exponential([](std::uint64_t k) { return -std::log(unit_of(k, 24)) / 256; }, 52, 256));
  CHECK_FALSE(is_exponential([](std::uint64_t k) { return -std::log(unit_of(k, 32)) / 256; }, 52, 256));
  CHECK_FALSE(is_exponential([](std::uint64_t w) { return -std::log(unit_of(w << 20, 24)); }, 32, 1));
  CHECK_FALSE(
      is_exponential([](std::uint64_t w) { return double(-std::log((float(w) + 0.5f) * 0x1p-32f)); }, 32, 1));
}

// 32 bits for the tail: E is small where its head is, and the head has 52.
TEST_CASE("the exponential of a token is Exp(1) within 3e-8") {
  CHECK(is_unit_exponential(32, at_place::head_alone));
  CHECK_FALSE(is_unit_exponential(24, at_place::head_alone));
  CHECK_FALSE(is_unit_exponential(30, at_place::head_alone));
  CHECK_FALSE(is_unit_exponential(32, at_place::head_and_tail));
}
