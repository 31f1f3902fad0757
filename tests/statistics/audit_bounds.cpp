#include <doctest/doctest.h>

#include <sluice/kernel/arithmetic/minimum_bound.hpp>
#include <sluice/kernel/arithmetic/schraudolph.hpp>
#include <sluice/random/philox.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "support.hpp"

// What only bounds: the approximate exponential and the noise of a block minimum, on the right side and as
// near as documented.

namespace {

using real = long double;
using tests::generator;

/// Whether e^x <= S <= 1.0615 e^x, 1e-5 of rounding apart, with x = logit - max, or -80 where that is deeper.
template <class Approx>
bool bounds_exponential(Approx approx) {
  const auto right = [&](float logit, float max) {
    const real exact = std::exp(std::fmax(real(logit) - real(max), -80.0L)), s = approx(logit, max);
    return s >= exact * (1 - 1e-5L) && s <= exact * 1.0615L * (1 + 1e-5L);
  };
  generator g(31);
  for (std::size_t i = tests::scaled(10'000'000); i > 0; --i) {
    const auto max = static_cast<float>(g.chance(0.5) ? g.uniform(-40, 40) : g.uniform(-1e7, 1e7));
    if (!right(static_cast<float>(g.uniform(-81, 0)), 0)) return false;
    if (!right(static_cast<float>(-std::exp2(g.uniform(-140, 7))), 0)) return false;
    if (!right(static_cast<float>(double(max) - g.uniform(0, 81)), max)) return false;
  }
  constexpr float most = std::numeric_limits<float>::max();
  return right(0, 0) && right(-80, 0) && right(-most, 0) && right(-most, most) && right(most, most);
}

/// How far the bound of a block minimum may lie above the noise for a uniform.
real most_above(double u) {
  if (1 - u < 0x1p-31) return 42.3L;  // the bound is 50
  if (u >= 0.5) return 1 - u > 0x1p-25 ? 0.1L : 0.8L;
  return u > 0x1p-11 ? 1.4L : 3;
}

/// Whether the bound of a word holds whatever the rest of the uniform is, and is as near as documented.
template <class Bound>
bool bounds_noise(Bound bound) {
  const auto right = [&](std::uint32_t word) {
    for (const std::uint32_t next : {0u, 0xffffffffu}) {
      const double u = sluice::random::open_unit(sluice::random::words{word, next, 0, 0});
      const real noise = -std::log(-std::log(real(u)) / 256);
      const real above = real(bound(word)) - noise;
      if (above < 0x1p-30L || above > most_above(u)) return false;
    }
    return true;
  };
  generator g(32);
  for (std::size_t i = tests::scaled(5'000'000); i > 0; --i) {
    const auto word = static_cast<std::uint32_t>(g.next());
    const std::size_t shift = g.below(32);
    if (!right(word) || !right(word >> shift) || !right(~(word >> shift))) return false;
  }
  for (std::uint32_t k = 0; k < 4096; ++k)
    if (!right(k) || !right(~k) || !right(0x80000000u + k) || !right(0x7fffffffu - k)) return false;
  return true;
}

}  // namespace

TEST_CASE("Schraudolph's exponential is at least e^x and at most 1.0615 e^x") {
  CHECK(bounds_exponential(sluice::kernel::schraudolph_exp));
  for (const float factor : {1 + 0x1p-14f, 1 - 0x1p-14f})
    CHECK_FALSE(bounds_exponential(
        [=](float logit, float max) { return factor * sluice::kernel::schraudolph_exp(logit, max); }));
}

TEST_CASE("the bound of a block minimum is above its noise, and near it but for the rarest uniforms") {
  CHECK(bounds_noise(sluice::kernel::minimum_bound));
  for (const float moved : {-3e-4f, 0.1f})
    CHECK_FALSE(
        bounds_noise([=](std::uint32_t word) { return sluice::kernel::minimum_bound(word) + moved; }));
}
