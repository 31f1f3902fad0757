#include <doctest/doctest.h>

#include <sluice/kernel/arithmetic/collision.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/kernel/arithmetic/mass.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "support.hpp"

// The functions that decide tokens, over their whole domain against long double: LN, exp, the powers of two
// and the integer mass. The numbers are those that the functions document.

namespace {

using real = long double;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr real ln_2 = 0.693147180559945309417232121458176568L;

/// The distance in units of the last place of the nearest double.
real ulps(double found, real expected) {
  const double nearest = std::fabs(double(expected));
  const double ulp = std::nextafter(nearest, infinity) - nearest;
  return std::fabs(real(found) - expected) / real(ulp);
}

/// Any positive normal double, each bit pattern alike.
double any_normal(tests::generator& g) {
  for (;;) {
    const auto x = std::bit_cast<double>(g.next() >> 1);
    if (std::isnormal(x)) return x;
  }
}

/// A number whose size may be any power of two from 2^low to 2^high, of either sign.
double any_size(tests::generator& g, double low, double high) {
  return (g.chance(0.5) ? 1 : -1) * std::exp2(g.uniform(low, high));
}

/// Whether LN is within one ulp for every x tried: uniforms, exponentials, close to one, powers of two, the
/// seam of the argument reduction, and any normal double.
template <class Ln>
bool within_an_ulp(Ln ln) {
  tests::generator g(11);
  const auto right = [&](double x) { return ulps(ln(x), std::log(real(x))) <= 1; };
  for (std::size_t i = tests::scaled(10'000'000); i > 0; --i) {
    if (!right(g.uniform())) return false;
    if (!right(std::exp(g.uniform(-42.5, 3.2)))) return false;
    if (!right(1 + g.uniform(-0x1p-10, 0x1p-10) * std::exp2(-g.uniform(0, 43)))) return false;
    if (!right(std::sqrt(0.5) + g.uniform(-0x1p-18, 0x1p-18))) return false;
    if (!right(any_normal(g))) return false;
  }
  for (int k = -60; k <= 60; ++k)
    for (const double x : {std::ldexp(1.0, k), std::nextafter(std::ldexp(1.0, k), 0.0),
                           std::nextafter(std::ldexp(1.0, k), 1e300)})
      if (x != 1 && !right(x)) return false;
  return ln(1) == 0;
}

/// Whether ln(1 + x) is within 3 ulp: near 0 and near -1, and of any size.
template <class Ln1p>
bool within_three_ulps(Ln1p ln_1p) {
  tests::generator g(14);
  const auto right = [&](double x) { return x <= -1 || ulps(ln_1p(x), std::log1p(real(x))) <= 3; };
  for (std::size_t i = tests::scaled(5'000'000); i > 0; --i) {
    if (!right(any_size(g, -1000, 1000))) return false;
    if (!right(any_size(g, -60, 1))) return false;
    if (!right(g.uniform(-1, 3))) return false;
    if (!right(-1 + std::exp2(-g.uniform(0, 53)))) return false;
  }
  return ln_1p(0) == 0;
}

/// Whether e^x is within 2 ulp: anywhere, near 0, and at the seams of the reduction.
template <class Exp>
bool within_two_ulps(Exp exp) {
  tests::generator g(15);
  const auto right = [&](double x) { return x < -708 || x > 709 || ulps(exp(x), std::exp(real(x))) <= 2; };
  for (std::size_t i = tests::scaled(5'000'000); i > 0; --i) {
    if (!right(g.uniform(-708, 709))) return false;
    if (!right(any_size(g, -70, 1))) return false;
    if (!right((g.between(-1022, 1023) + 0.5) * double(ln_2) + g.uniform(-1e-9, 1e-9))) return false;
  }
  return right(-708) && right(709) && exp(0) == 1;
}

/// A power of two in two parts against 2^t: whether |f| <= 1/2, and the fraction within an error of 2^f - 1.
template <class Power>
bool is_power(const Power& power, real t, real error) {
  const real f = t - real(power.exponent);
  const real exact = std::expm1(f * ln_2);
  return std::fabs(f) <= 0.5L && std::fabs(real(power.fraction) - exact) <= error * std::fabs(exact);
}

template <class Split>
bool splits_within(Split split, real error) {
  tests::generator g(16);
  const auto right = [&](double t) { return is_power(split(t), t, error); };
  for (std::size_t i = tests::scaled(10'000'000); i > 0; --i) {
    if (!right(g.uniform(-0.5, 0.5))) return false;
    if (!right(g.uniform(-64, 0))) return false;
    if (!right(any_size(g, -1000, 50))) return false;
    if (!right(g.between(-64, 64) + 0.5 + any_size(g, -50, -1))) return false;
  }
  return right(0) && right(0.5) && right(-0.5);
}

/// The same of floats, below 2^21.
template <class Split>
bool splits_floats_within(Split split, real error) {
  tests::generator g(17);
  const auto right = [&](float t) { return is_power(split(t), t, error); };
  for (std::size_t i = tests::scaled(10'000'000); i > 0; --i) {
    if (!right(float(g.uniform(-0.5, 0.5)))) return false;
    if (!right(float(g.uniform(-92, 0)))) return false;
    if (!right(float(any_size(g, -120, 20.99)))) return false;
    if (!right(float(g.between(-92, 92) + 0.5 + any_size(g, -20, -1)))) return false;
  }
  return right(0) && right(0.5f) && right(-0.5f);
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
  tests::generator g(18);
  for (std::size_t i = tests::scaled(1'000'000); i > 0; --i) {
    const auto subnormal = std::bit_cast<double>(g.next() >> 12 >> g.below(52) | 1);
    REQUIRE(ulps(sluice::kernel::ln(subnormal), std::log(real(subnormal))) <= 1);
  }
}

TEST_CASE("ln(1 + x) is within three ulps, and ln of a rounded 1 + x is not") {
  CHECK(within_three_ulps([](double x) { return sluice::kernel::ln_1p(x); }));
  CHECK_FALSE(within_three_ulps([](double x) { return sluice::kernel::ln(1 + x); }));
}

TEST_CASE("e^x is within two ulps, 0 below -708 and infinite above 709") {
  CHECK(within_two_ulps([](double x) { return sluice::kernel::exp(x); }));
  for (const double x : {std::nextafter(-708.0, -infinity), -745.0, -1e300, -infinity})
    CHECK(sluice::kernel::exp(x) == 0);
  for (const double x : {std::nextafter(709.0, infinity), 1e300, infinity})
    CHECK(sluice::kernel::exp(x) == infinity);
  CHECK_FALSE(within_two_ulps([](double x) {
    const double k = std::nearbyint(x / double(ln_2));
    return std::ldexp(std::exp(x - k * double(ln_2)), int(k));
  }));
}

TEST_CASE("powers of two are within 2^-31.8 of 2^f - 1 in double and 2^-22 in float") {
  const real in_double = std::exp2(-31.8L), in_float = 0x1p-22L;
  CHECK(splits_within([](double t) { return sluice::kernel::split_exp2(t); }, in_double));
  CHECK_FALSE(splits_within(
      [](double t) {
        auto p = sluice::kernel::split_exp2(t);
        p.fraction *= 1 + 0x1p-34;
        return p;
      },
      in_double));
  CHECK(splits_floats_within([](float t) { return sluice::kernel::split_exp2f(t); }, in_float));
  CHECK_FALSE(splits_floats_within(
      [](float t) {
        auto p = sluice::kernel::split_exp2f(t);
        p.fraction *= 1 + 0x1p-22f;
        return p;
      },
      in_float));
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
