#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "chi_square.hpp"
#include "noise_field.hpp"
#include "support.hpp"

// The noise of single tokens is standard Gumbel, and a block's smallest exponential is the smallest.

using namespace tests::statistics;

namespace {

constexpr std::size_t positions = 1'000'000;
constexpr double bound = 2.69e-3;

/// The largest distance between the empirical distribution and e^(-e^-x).
double kolmogorov_distance(std::vector<double> noise) {
  std::sort(noise.begin(), noise.end());
  const double step = 1 / double(noise.size());
  double distance = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double expected = std::exp(-std::exp(-noise[i]));
    distance = std::max({distance, expected - double(i) * step, double(i + 1) * step - expected});
  }
  return distance;
}

/// The distance of noise(position, token) from standard Gumbel over a million positions.
template <class Noise>
double distance_from_gumbel(std::uint32_t token, Noise noise) {
  std::vector<double> found;
  for (std::uint64_t p = 0; p < positions; ++p) found.push_back(noise(p, token));
  return kolmogorov_distance(std::move(found));
}

/// Whether the largest noise of 256 tokens is where the head says, and has a place of uniform law.
template <class Noise>
bool has_its_largest_at_the_place(Noise noise) {
  std::vector<std::size_t> places(256, 0);
  const std::vector<double> uniform(256, 1.0 / 256);
  for (std::uint64_t p = 0; p < tests::scaled(100'000); ++p) {
    const auto block = static_cast<std::uint32_t>(p % 5);
    const sluice::random::block_minimum head = sluice::random::noise_minimum({51, p}, block);
    std::uint32_t largest = 0;
    double best = -1e300;
    for (std::uint32_t i = 0; i < 256; ++i)
      if (const double n = noise(p, block * 256 + i); n > best) {
        best = n;
        largest = i;
      }
    if (largest != head.slot || best != sluice::random::gumbel(head.exponential)) return false;
    ++places[largest];
  }
  return fits(places, uniform);
}

double librarys(std::uint64_t position, std::uint32_t token) {
  return sluice::random::noise({51, position}, token);
}

auto with(fault f) {
  return [f](std::uint64_t position, std::uint32_t token) { return noise_of(f, 51, position, token); };
}

}  // namespace

TEST_CASE("the noise of a token is standard Gumbel over a million positions") {
  for (const std::uint32_t token : {0u, 1u, 255u, 256u, 70'001u, 1'048'574u})
    CHECK(distance_from_gumbel(token, librarys) < bound);
}

TEST_CASE("the Kolmogorov distance tells a head that is not divided and a tail at the smallest") {
  CHECK(distance_from_gumbel(5, with(fault::none)) < bound);
  CHECK_FALSE(distance_from_gumbel(5, with(fault::head_not_divided)) < bound);
  CHECK_FALSE(distance_from_gumbel(5, with(fault::tail_at_smallest)) < bound);
  CHECK_FALSE(distance_from_gumbel(5, with(fault::position_ignored)) < bound);
}

TEST_CASE("the largest noise of a block stands at its place, and the place is uniform") {
  CHECK(has_its_largest_at_the_place(librarys));
  CHECK_FALSE(has_its_largest_at_the_place(with(fault::tail_at_smallest)));
  CHECK_FALSE(has_its_largest_at_the_place(with(fault::place_from_the_low_byte)));
}
