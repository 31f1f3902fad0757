// The golden list against the oracle: its tokens are right, not only the same everywhere.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "compare.hpp"
#include "golden/cases.hpp"

namespace {

/// By the oracle, as the list writes it. No golden step lies so near to a cut that its rounding could decide.
std::string token_of(const sluice::sampling_params& params, const tests::trial& t) {
  const tests::oracle::situation given = t.situation();
  const tests::oracle::outcome expected = tests::oracle::run(params, given);
  const int token = expected.empty() ? -int(sluice::sample_status::no_token_left)
                                     : expected.draw(params.draw, given.now).id;
  return std::to_string(token) + (expected.saw_nan ? "?" : "");
}

}  // namespace

TEST_CASE("the golden tokens are the oracle's") {
  std::ifstream list(SLUICE_TEST_DATA "/golden.txt");
  std::string version;
  REQUIRE(bool(std::getline(list, version)));
  CHECK(version == "draw_version: " + std::to_string(sluice::draw_version));
  const std::vector<golden::test_case> cases = golden::cases();
  const std::size_t stride = cases.size() * golden::steps_a_case / tests::scaled(10'000);
  std::size_t number = 0;
  for (const golden::test_case& c : cases) {
    std::string line;
    REQUIRE(bool(std::getline(list, line)));
    std::istringstream tokens(line.substr(c.name.size() + 1));
    tests::trial t{.params = c.params, .prompt = golden::make_prompt(), .start = c.start};
    for (std::size_t i = 0; i < golden::steps_a_case; ++i, ++number) {
      std::string token;
      REQUIRE(bool(tokens >> token));
      // Another residue in each case, so that a part of the list meets rows of every shape and size.
      if ((number + number / golden::steps_a_case) % stride == 0) {
        golden::step s = golden::make_step(c, i);
        t.seed = s.seed;
        t.logits = std::move(s.logits);
        t.mask = std::move(s.mask);
        t.call_bias = std::move(s.bias);
        CHECK_MESSAGE(token == token_of(c.params, t), c.name << ", token " << i);
      }
      // A negative number is a status.
      if (token[0] != '-') t.generated.push_back(std::stoi(token));
      if (golden::then(i) != sluice::no_token) t.generated.push_back(golden::then(i));
    }
  }
}
