#include <doctest/doctest.h>

#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>

#include <cmath>
#include <vector>

#include "library.hpp"

// Noise decides between equal logits whatever their size: scores are taken from the row's maximum.

using namespace tests::statistics;

namespace {

template <class Draw>
bool has_law(const row_to_draw& row, Draw draw) {
  return fits(counts_of(row.logits.size(), tests::scaled(100'000), draw), law_of(row));
}

bool both_draws_have_law(const std::vector<float>& logits) {
  const row_to_draw row{logits};
  opened open(row);
  return has_law(row, [&](std::uint64_t p) { return open.gumbel(81, p); }) &&
         has_law(row, [&](std::uint64_t p) { return open.softmax(81, p); });
}

/// l / T + g, without the maximum.
bool plain_scores_have_law(const std::vector<float>& logits) {
  const row_to_draw row{logits};
  return has_law(row, [&](std::uint64_t p) {
    return largest_score(row, 1, p, [](std::uint64_t position, std::uint32_t token) {
      return sluice::random::noise({81, position}, token);
    });
  });
}

}  // namespace

TEST_CASE("equal logits of 3e38 or -3e38 are drawn with equal chances") {
  for (const float huge : {3e38f, -3e38f, 3.4e38f, 1e20f, -1e20f, 16'777'216.0f}) {
    CAPTURE(huge);
    CHECK(both_draws_have_law(std::vector<float>(7, huge)));
    CHECK(both_draws_have_law(std::vector<float>(300, huge)));
  }
}

TEST_CASE("a row of both 3e38 and -3e38 is drawn among the larger") {
  CHECK(both_draws_have_law({-3e38f, 3e38f, -3e38f, 3e38f, 3e38f, -3e38f}));
}

// In float the logits stand 2 apart at 2^24; in double the noise is not lost before 2^52.
TEST_CASE("differences of large logits count as small ones do") {
  CHECK(both_draws_have_law({16'777'216.0f, 16'777'218.0f, 16'777'220.0f, 16'777'214.0f}));
  CHECK(both_draws_have_law({-1e7f, -9'999'999.0f, -9'999'998.0f}));
}

TEST_CASE("equal chances tell scores that do not start at the maximum") {
  CHECK(plain_scores_have_law(std::vector<float>(7, 0.0f)));
  CHECK_FALSE(plain_scores_have_law(std::vector<float>(7, 3e38f)));
  CHECK_FALSE(plain_scores_have_law(std::vector<float>(7, -1e20f)));
}
