#include <doctest/doctest.h>

#include <sluice/chain/check.hpp>
#include <sluice/params/environment.hpp>

#include <cstdlib>

namespace {

/// A variable while it lives.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("the environment switches draw, engine and truncation") {
  sluice::sampling_params p;
  CHECK_FALSE(apply_environment(p));
  const variable draw("SLUICE_DRAW", "softmax"), engine("SLUICE_ENGINE", "sort"),
      truncation("SLUICE_TRUNCATION", "joint");
  CHECK_FALSE(apply_environment(p));
  CHECK(p.draw == sluice::draw_method::softmax);
  CHECK(p.engine == sluice::truncation_engine::sort);
  CHECK(p.truncation == sluice::truncation_rule::joint);
}

TEST_CASE("a wrong variable is a problem that names it, and nothing is changed") {
  sluice::sampling_params p;
  const variable draw("SLUICE_DRAW", "softmax"), engine("SLUICE_ENGINE", "fastest");
  const sluice::problem wrong = apply_environment(p);
  CHECK(wrong.field == "SLUICE_ENGINE");
  CHECK(wrong.text == "SLUICE_ENGINE must be one of automatic, sort, select, rejection, got \"fastest\"");
  CHECK(p.draw == sluice::draw_method::gumbel);
}

TEST_CASE("an empty variable changes nothing") {
  sluice::sampling_params p;
  p.draw = sluice::draw_method::softmax;
  const variable draw("SLUICE_DRAW", "");
  CHECK_FALSE(apply_environment(p));
  CHECK(p.draw == sluice::draw_method::softmax);
}
