#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <limits>
#include <vector>

namespace {

constexpr std::uint64_t most = 0xffffffffffffffff;
constexpr float absent = -std::numeric_limits<float>::infinity();

sluice::token_id drawn(const std::vector<float>& logits, std::uint64_t word, double temperature = 1) {
  sluice::workspace memory;
  sluice::row r(sluice::logits_view(logits), sluice::call_options{}, memory,
                sluice::truncation_engine::select);
  sluice::detail::row_internals::add_biases(r, {});
  r.set_temperature(temperature);
  return sluice::draw::inverse_cdf(r, word);
}

}  // namespace

TEST_CASE("four equal tokens share the words in order of ids") {
  const std::vector<float> row(4, 7.5f);
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
    CHECK(drawn(row, quarter << 62) == int(quarter));
    CHECK(drawn(row, (quarter << 62) + (most >> 2)) == int(quarter));
  }
}

TEST_CASE("the first and the last word draw tokens that have mass") {
  const std::vector<float> row{absent, -40, 0, 1, -40, absent};
  CHECK(drawn(row, 0) == 2);
  CHECK(drawn(row, most) == 3);
  CHECK(drawn(std::vector<float>{absent, 3, absent}, 0) == 1);
  CHECK(drawn(std::vector<float>{absent, 3, absent}, most) == 1);
}

TEST_CASE("a token 31.1 nats below the top has words, one 31.3 below has none") {
  CHECK(drawn({-31.1f, 0}, 0) == 0);
  CHECK(drawn({-31.3f, 0}, 0) == 1);
  CHECK(drawn({0, -31.1f}, most) == 1);
  CHECK(drawn({0, -31.3f}, most) == 0);
}

// 2 / (1 + 2) of the words at T = 1, 4 / (1 + 4) at T = .5.
TEST_CASE("the temperature divides before the exponential") {
  const std::vector<float> row{0.69314718f, 0};
  const auto word = [](double share) { return static_cast<std::uint64_t>(share * 0x1p64); };
  CHECK(drawn(row, word(0.6666)) == 0);
  CHECK(drawn(row, word(0.6667)) == 1);
  CHECK(drawn(row, word(0.7999), 0.5) == 0);
  CHECK(drawn(row, word(0.8001), 0.5) == 1);
}

// To regenerate: Philox, and the masses by any exponential; none of these words lies near a boundary.
TEST_CASE("the softmax draw of a seed and a position is the same token everywhere") {
  const std::vector<float> row{2, 1, 0.5f, 0, -1};
  const std::vector<int> at_one{1, 3, 0, 0, 0, 2, 1, 2, 0, 1, 1, 0, 3, 0, 1, 0, 0, 0, 0, 1, 2, 3, 0, 0};
  const std::vector<int> at_two{2, 4, 0, 1, 1, 3, 2, 3, 0, 2, 2, 1, 3, 0, 2, 1, 1, 1, 1, 2, 2, 4, 1, 1};
  sluice::sampling_params p;
  p.draw = sluice::draw_method::softmax;
  const sluice::standard_chain one(p);
  p.temperature = 2;
  const sluice::standard_chain two(p);
  for (std::size_t position = 0; position < at_one.size(); ++position) {
    CAPTURE(position);
    sluice::sequence sequence(42, position);
    CHECK(one.sample(row, sequence).token == at_one[position]);
    CHECK(two.sample(row, sequence).token == at_two[position]);
  }
}
