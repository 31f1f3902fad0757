// The golden list against the oracle: its tokens are right, not only the same everywhere.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "compare.hpp"
#include "golden/cases.hpp"

namespace {

struct listed {
  std::string text;

  bool saw_nan() const { return text.ends_with('?'); }
  /// Negative: the number of a status.
  int token() const { return std::stoi(text); }
};

/// How far the step was from another token.
enum class verdict { same, near, other };

verdict judge(const listed& token, const sluice::sampling_params& params, const tests::trial& t) {
  const tests::oracle::situation given = t.situation();
  const tests::oracle::outcome expected = tests::oracle::run(params, given);
  if (token.saw_nan() != expected.saw_nan) return verdict::other;
  if (expected.empty())
    return token.token() == -int(sluice::sample_status::no_token_left) ? verdict::same : verdict::other;
  const tests::oracle::drawn drawn = expected.draw(params.draw, given.now);
  if (token.token() == drawn.id) return verdict::same;
  return expected.distance < 1e-6L || drawn.distance < 1e-8L ? verdict::near : verdict::other;
}

}  // namespace

TEST_CASE("the golden tokens are the oracle's") {
  std::ifstream list(SLUICE_TEST_DATA "/golden.txt");
  const std::vector<golden::test_case> cases = golden::cases();
  const std::size_t stride = cases.size() * golden::steps_a_case / tests::scaled(10'000);
  std::size_t compared = 0, near = 0, number = 0;
  for (const golden::test_case& c : cases) {
    std::string line;
    REQUIRE(bool(std::getline(list, line)));
    std::istringstream tokens(line.substr(c.name.size() + 1));
    tests::trial t{.params = c.params, .prompt = golden::make_prompt(), .start = c.start};
    for (std::size_t i = 0; i < golden::steps_a_case; ++i, ++number) {
      listed token;
      REQUIRE(bool(tokens >> token.text));
      // Another residue in each case, so that a part of the list meets rows of every shape and size.
      if ((number + number / golden::steps_a_case) % stride == 0) {
        golden::step s = golden::make_step(c, i);
        t.seed = s.seed;
        t.logits = std::move(s.logits);
        t.mask = std::move(s.mask);
        t.call_bias = std::move(s.bias);
        const verdict v = judge(token, c.params, t);
        ++compared;
        near += v == verdict::near ? 1 : 0;
        CHECK_MESSAGE(v != verdict::other, c.name << ", token " << i << ": " << token.text);
      }
      if (token.token() >= 0) t.generated.push_back(token.token());
      if (golden::then(i) != sluice::no_token) t.generated.push_back(golden::then(i));
    }
  }
  MESSAGE(compared << " tokens, " << near << " near a cut");
  CHECK(near * 200 <= compared);
}
