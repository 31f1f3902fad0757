#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <limits>
#include <vector>

namespace {

constexpr float absent = -std::numeric_limits<float>::infinity();

sluice::token_id drawn(const std::vector<float>& row, std::uint64_t position, float temperature = 1) {
  sluice::sampling_params p;
  p.temperature = temperature;
  sluice::sequence sequence(42, position);
  return sluice::standard_chain(p).sample(row, sequence).token;
}

}  // namespace

// To regenerate: the largest (l - max) / T + noise, with the noise of random_noise.cpp.
TEST_CASE("the draw of a seed and a position is the same token everywhere") {
  const std::vector<float> row{2, 1, 0.5f, 0, -1};
  const std::vector<int> at_one{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
  const std::vector<int> at_two{0, 1, 0, 0, 0, 3, 2, 0, 0, 0, 1, 1, 3, 0, 2, 0, 2, 0, 1, 0, 0, 0, 3, 0};
  for (std::size_t position = 0; position < at_one.size(); ++position) {
    CAPTURE(position);
    CHECK(drawn(row, position) == at_one[position]);
    CHECK(drawn(row, position, 2) == at_two[position]);
  }
  const std::vector<float> flat(1'000, 0.0f);
  const std::vector<int> of_flat{387, 624, 626, 425, 725, 947, 498, 399, 454, 564, 990, 163};
  for (std::size_t position = 0; position < of_flat.size(); ++position)
    CHECK(drawn(flat, position) == of_flat[position]);
}

TEST_CASE("logits of 3e38 leave the draw to the noise") {
  const std::vector<float> row{3e38f, -3e38f, 3e38f, 3e38f};
  const std::vector<int> expected{3, 0, 0, 0, 0, 3, 2, 0, 0, 0, 2, 0, 3, 0, 2, 0};
  for (std::size_t position = 0; position < expected.size(); ++position)
    CHECK(drawn(row, position) == expected[position]);
}

TEST_CASE("a token keeps its noise whatever else survives") {
  std::vector<float> row(1'000, 0.0f);
  CHECK(drawn(row, 0) == 387);
  row[386] = row[388] = row[0] = row[999] = absent;
  CHECK(drawn(row, 0) == 387);
  std::vector<float> alone(1'000, absent);
  alone[387] = alone[5] = alone[640] = 0;
  CHECK(drawn(alone, 0) == 387);
  const std::vector<sluice::token_id> ids{640, 5, 387};
  const std::vector<float> logits{0, 0, 0};
  sluice::sequence sequence(42);
  CHECK(sluice::standard_chain(sluice::sampling_params{}).sample({ids, logits}, sequence).token == 387);
}

// -3e38 under a maximum of 3e38 is far below every noise; where it is the maximum itself the noise decides.
TEST_CASE("the zero of the scores is the row's maximum") {
  const std::vector<float> row{-3e38f, -3e38f, -3e38f, 3e38f};
  int others = 0;
  for (std::uint64_t position = 0; position < 50; ++position) {
    CHECK(drawn(row, position) == 3);
    others += drawn({-3e38f, -3e38f, -3e38f, absent}, position) != 0;
  }
  CHECK(others > 10);
}
