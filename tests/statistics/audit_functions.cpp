#include <doctest/doctest.h>

#include <sluice/kernel/math.hpp>

#include <array>
#include <cmath>
#include <limits>

#include "support.hpp"

// The two functions that decide tokens, LN and the integer mass, against long double.

namespace {

using real = long double;

/// The distance in units of the last place of the nearest double.
real ulps(double found, real expected) {
  const double nearest = std::fabs(double(expected));
  const double ulp = std::nextafter(nearest, 1e300) - nearest;
  return std::fabs(real(found) - expected) / real(ulp);
}

/// Whether LN is within one ulp for every x tried: uniforms, exponentials, close to one, powers of two and
/// the seam of the argument reduction.
template <class Ln>
bool within_an_ulp(Ln ln) {
  tests::generator g(11);
  const auto right = [&](double x) { return ulps(ln(x), std::log(real(x))) <= 1; };
  for (std::size_t i = tests::scaled(10'000'000); i > 0; --i) {
    if (!right(g.uniform())) return false;
    if (!right(std::exp(g.uniform(-42.5, 3.2)))) return false;
    if (!right(1 + g.uniform(-0x1p-10, 0x1p-10) * std::exp2(-g.uniform(0, 43)))) return false;
    if (!right(std::sqrt(0.5) + g.uniform(-0x1p-18, 0x1p-18))) return false;
  }
  for (int k = -60; k <= 60; ++k)
    for (const double x : {std::ldexp(1.0, k), std::nextafter(std::ldexp(1.0, k), 0.0),
                           std::nextafter(std::ldexp(1.0, k), 1e300)})
      if (x != 1 && !right(x)) return false;
  return ln(1) == 0;
}

/// Whether the mass is round(2^44 e^x), e^x within 2^-33: less than half a unit more.
template <class Mass>
bool is_rounded_exponential(Mass mass) {
  tests::generator g(12);
  const auto right = [&](double x) {
    const real exact = std::ldexp(std::exp(real(x)), 44);
    return std::fabs(real(mass(x)) - exact) <= 0.5L + exact * 0x1p-33L;
  };
  for (std::size_t i = tests::scaled(10'000'000); i > 0; --i) {
    if (!right(-31.2 * g.uniform())) return false;
    if (!right(-std::exp2(-g.uniform(0, 60)))) return false;
    if (!right(-double(g.below(46)) / 1.4426950408889634 + g.uniform(-0x1p-20, 0))) return false;
  }
  return mass(0) == std::uint64_t{1} << 44;
}

/// The same of round(2^44 factor e^x).
template <class Mass>
bool is_rounded_product(Mass mass) {
  tests::generator g(13);
  for (std::size_t i = tests::scaled(2'000'000); i > 0; --i) {
    const double x = -31.2 * g.uniform();
    const double factor = g.uniform();
    const real exact = std::ldexp(std::exp(real(x)) * real(factor), 44);
    if (std::fabs(real(mass(x, factor)) - exact) > 0.5L + exact * 0x1p-33L) return false;
  }
  return true;
}

double with_ln2_in_one_piece(double x) {
  int k = 0;
  const double m = std::frexp(x, &k);
  return k * 0.6931471805599453 + std::log(m);
}

}  // namespace

TEST_CASE("LN is within one ulp") {
  CHECK(within_an_ulp([](double x) { return sluice::kernel::ln_normal(x); }));
  CHECK(within_an_ulp([](double x) { return sluice::kernel::ln(x); }));
}

TEST_CASE("LN of the ends of its range") {
  CHECK(sluice::kernel::ln(0) == -std::numeric_limits<double>::infinity());
  CHECK(sluice::kernel::ln(std::numeric_limits<double>::infinity()) ==
        std::numeric_limits<double>::infinity());
  for (const double x :
       {std::numeric_limits<double>::denorm_min(), 0x1.8p-1050, 0x1p-1022, 0x1.fffffffffffffp1023})
    CHECK(ulps(sluice::kernel::ln(x), std::log(real(x))) <= 1);
}

TEST_CASE("an ulp tells a logarithm in float and one whose ln 2 is in one piece") {
  CHECK_FALSE(within_an_ulp([](double x) { return double(std::log(float(x))); }));
  CHECK_FALSE(within_an_ulp(with_ln2_in_one_piece));
}

TEST_CASE("the mass is the rounded exponential, and 0 from 31.2 nats on") {
  CHECK(is_rounded_exponential([](double x) { return sluice::kernel::mass(x); }));
  CHECK(sluice::kernel::mass(-31.19) == 1);
  CHECK(sluice::kernel::mass(-31.2) == 0);
  CHECK(sluice::kernel::mass(std::nextafter(-31.2, -100.0)) == 0);
  CHECK(sluice::kernel::mass(-745) == 0);
  CHECK(sluice::kernel::mass(-1e300) == 0);
  CHECK(sluice::kernel::mass(-std::numeric_limits<double>::infinity()) == 0);
}

TEST_CASE("a mass times a factor is rounded once") {
  CHECK(is_rounded_product([](double x, double factor) { return sluice::kernel::mass(x, factor); }));
  CHECK_FALSE(is_rounded_product([](double x, double factor) {
    return std::uint64_t(std::llround(double(sluice::kernel::mass(x)) * factor));
  }));
}

TEST_CASE("half a unit tells a mass in float, a truncated one and one of 40 bits") {
  CHECK_FALSE(is_rounded_exponential(
      [](double x) { return std::uint64_t(std::ldexp(double(std::exp(float(x))), 44)); }));
  CHECK_FALSE(is_rounded_exponential([](double x) { return std::uint64_t(std::ldexp(std::exp(x), 44)); }));
  CHECK_FALSE(is_rounded_exponential(
      [](double x) { return std::uint64_t(std::llround(std::ldexp(std::exp(x), 40))) << 4; }));
}
