#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <sluice/chain/check.hpp>

using sluice::check;
using sluice::problem;
using sluice::sampling_params;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float tiny = std::numeric_limits<float>::denorm_min();
constexpr float largest = std::numeric_limits<float>::max();
constexpr float above_one = 1.0f + std::numeric_limits<float>::epsilon();
constexpr float below_one = 1.0f - std::numeric_limits<float>::epsilon() / 2;

template <auto Member, class Value>
std::string text_for(Value value) {
  sampling_params params;
  params.*Member = value;
  return check(params).text;
}

template <auto Member>
void takes_every_finite_number() {
  CHECK(text_for<Member>(-largest) == "");
  CHECK(text_for<Member>(-0.0f) == "");
  CHECK(text_for<Member>(tiny) == "");
  CHECK(text_for<Member>(largest) == "");
}

template <auto Member>
void takes_zero_to_one() {
  CHECK(text_for<Member>(-0.0f) == "");
  CHECK(text_for<Member>(0.0f) == "");
  CHECK(text_for<Member>(tiny) == "");
  CHECK(text_for<Member>(1.0f) == "");
}

/// Stands for a value of any type, but of what an optional holds: the optional itself is meant there.
struct anything {
  template <class T>
  requires(!std::is_same_v<T, std::uint64_t>) operator T() const;
};

/// Whether sampling_params can be made from so many values.
template <std::size_t... I>
constexpr bool has_members(std::index_sequence<I...>) {
  return requires { sampling_params{(void(I), anything{})...}; };
}

}  // namespace

TEST_CASE("the defaults are in range") { CHECK_FALSE(check({})); }

TEST_CASE("the table has a row for every member") {
  constexpr std::size_t rows = std::size(sluice::detail::fields);
  static_assert(has_members(std::make_index_sequence<rows>()));
  static_assert(!has_members(std::make_index_sequence<rows + 1>()));
  for (const auto& f : sluice::detail::fields) CHECK(sluice::detail::find_field(f.name) == &f);
}

TEST_CASE("a problem names its field") {
  const problem p = check({.top_p = 1.5f});
  CHECK(p);
  CHECK(p.field == "top_p");
  CHECK(p.text == "top_p must be in [0, 1], got 1.5");
}

TEST_CASE("the first problem in the order of the fields is told") {
  CHECK(check({.top_k = 1, .top_p = -1, .min_p = 2}).field == "top_p");
}

TEST_CASE("temperature is any finite number") {
  takes_every_finite_number<&sampling_params::temperature>();
  CHECK(text_for<&sampling_params::temperature>(not_a_number) == "temperature must be finite, got nan");
  CHECK(text_for<&sampling_params::temperature>(-not_a_number) == "temperature must be finite, got nan");
  CHECK(text_for<&sampling_params::temperature>(inf) == "temperature must be finite, got inf");
  CHECK(text_for<&sampling_params::temperature>(-inf) == "temperature must be finite, got -inf");
}

TEST_CASE("dynatemp_range is any finite number") {
  takes_every_finite_number<&sampling_params::dynatemp_range>();
  CHECK(text_for<&sampling_params::dynatemp_range>(inf) == "dynatemp_range must be finite, got inf");
  CHECK(text_for<&sampling_params::dynatemp_range>(not_a_number) == "dynatemp_range must be finite, got nan");
}

TEST_CASE("dynatemp_exponent is above zero") {
  constexpr auto member = &sampling_params::dynatemp_exponent;
  CHECK(text_for<member>(tiny) == "");
  CHECK(text_for<member>(largest) == "");
  CHECK(text_for<member>(0.0f) == "dynatemp_exponent must be finite and > 0, got 0");
  CHECK(text_for<member>(-0.0f) == "dynatemp_exponent must be finite and > 0, got -0");
  CHECK(text_for<member>(-1.0f) == "dynatemp_exponent must be finite and > 0, got -1");
  CHECK(text_for<member>(inf) == "dynatemp_exponent must be finite and > 0, got inf");
  CHECK(text_for<member>(not_a_number) == "dynatemp_exponent must be finite and > 0, got nan");
}

TEST_CASE("top_k is any integer") {
  CHECK(text_for<&sampling_params::top_k>(INT32_MIN) == "");
  CHECK(text_for<&sampling_params::top_k>(-1) == "");
  CHECK(text_for<&sampling_params::top_k>(INT32_MAX) == "");
}

TEST_CASE("min_keep is not negative") {
  CHECK(text_for<&sampling_params::min_keep>(0) == "");
  CHECK(text_for<&sampling_params::min_keep>(INT32_MAX) == "");
  CHECK(text_for<&sampling_params::min_keep>(-1) == "min_keep must be >= 0, got -1");
}

TEST_CASE("top_p is in [0, 1]") {
  constexpr auto member = &sampling_params::top_p;
  takes_zero_to_one<member>();
  CHECK(text_for<member>(-tiny) == "top_p must be in [0, 1], got -1e-45");
  CHECK(text_for<member>(above_one) == "top_p must be in [0, 1], got 1.0000001");
  CHECK(text_for<member>(not_a_number) == "top_p must be in [0, 1], got nan");
  CHECK(text_for<member>(inf) == "top_p must be in [0, 1], got inf");
}

TEST_CASE("min_p is in [0, 1]") {
  takes_zero_to_one<&sampling_params::min_p>();
  CHECK(text_for<&sampling_params::min_p>(-0.1f) == "min_p must be in [0, 1], got -0.1");
  CHECK(text_for<&sampling_params::min_p>(above_one) == "min_p must be in [0, 1], got 1.0000001");
  CHECK(text_for<&sampling_params::min_p>(not_a_number) == "min_p must be in [0, 1], got nan");
}

TEST_CASE("typical_p is in (0, 1]") {
  constexpr auto member = &sampling_params::typical_p;
  CHECK(text_for<member>(tiny) == "");
  CHECK(text_for<member>(1.0f) == "");
  CHECK(text_for<member>(0.0f) == "typical_p must be in (0, 1], got 0");
  CHECK(text_for<member>(-0.5f) == "typical_p must be in (0, 1], got -0.5");
  CHECK(text_for<member>(above_one) == "typical_p must be in (0, 1], got 1.0000001");
  CHECK(text_for<member>(not_a_number) == "typical_p must be in (0, 1], got nan");
}

TEST_CASE("top_n_sigma is any finite number") {
  takes_every_finite_number<&sampling_params::top_n_sigma>();
  CHECK(text_for<&sampling_params::top_n_sigma>(inf) == "top_n_sigma must be finite, got inf");
  CHECK(text_for<&sampling_params::top_n_sigma>(not_a_number) == "top_n_sigma must be finite, got nan");
}

TEST_CASE("xtc_probability is in [0, 1]") {
  takes_zero_to_one<&sampling_params::xtc_probability>();
  CHECK(text_for<&sampling_params::xtc_probability>(-1.0f) == "xtc_probability must be in [0, 1], got -1");
  CHECK(text_for<&sampling_params::xtc_probability>(2.0f) == "xtc_probability must be in [0, 1], got 2");
  CHECK(text_for<&sampling_params::xtc_probability>(not_a_number) ==
        "xtc_probability must be in [0, 1], got nan");
}

TEST_CASE("xtc_threshold is in [0, 1]; above one half it is off") {
  takes_zero_to_one<&sampling_params::xtc_threshold>();
  CHECK(text_for<&sampling_params::xtc_threshold>(0.6f) == "");
  CHECK(text_for<&sampling_params::xtc_threshold>(-1.0f) == "xtc_threshold must be in [0, 1], got -1");
  CHECK(text_for<&sampling_params::xtc_threshold>(2.0f) == "xtc_threshold must be in [0, 1], got 2");
  CHECK(text_for<&sampling_params::xtc_threshold>(not_a_number) ==
        "xtc_threshold must be in [0, 1], got nan");
}

TEST_CASE("repetition_penalty is above zero") {
  constexpr auto member = &sampling_params::repetition_penalty;
  CHECK(text_for<member>(tiny) == "");
  CHECK(text_for<member>(0.5f) == "");
  CHECK(text_for<member>(largest) == "");
  CHECK(text_for<member>(0.0f) == "repetition_penalty must be finite and > 0, got 0");
  CHECK(text_for<member>(-1.3f) == "repetition_penalty must be finite and > 0, got -1.3");
  CHECK(text_for<member>(inf) == "repetition_penalty must be finite and > 0, got inf");
  CHECK(text_for<member>(not_a_number) == "repetition_penalty must be finite and > 0, got nan");
}

TEST_CASE("frequency_penalty and presence_penalty are any finite numbers") {
  takes_every_finite_number<&sampling_params::frequency_penalty>();
  takes_every_finite_number<&sampling_params::presence_penalty>();
  CHECK(text_for<&sampling_params::frequency_penalty>(-inf) == "frequency_penalty must be finite, got -inf");
  CHECK(text_for<&sampling_params::frequency_penalty>(not_a_number) ==
        "frequency_penalty must be finite, got nan");
  CHECK(text_for<&sampling_params::presence_penalty>(-inf) == "presence_penalty must be finite, got -inf");
  CHECK(text_for<&sampling_params::presence_penalty>(not_a_number) ==
        "presence_penalty must be finite, got nan");
}

TEST_CASE("a window is -1, 0 or a count") {
  CHECK(text_for<&sampling_params::penalty_last_n>(-1) == "");
  CHECK(text_for<&sampling_params::penalty_last_n>(0) == "");
  CHECK(text_for<&sampling_params::penalty_last_n>(INT32_MAX) == "");
  CHECK(text_for<&sampling_params::penalty_last_n>(-2) == "penalty_last_n must be >= -1, got -2");
  CHECK(text_for<&sampling_params::dry_penalty_last_n>(-1) == "");
  CHECK(text_for<&sampling_params::dry_penalty_last_n>(-2) == "dry_penalty_last_n must be >= -1, got -2");
  CHECK(text_for<&sampling_params::scatter_absorption_last_n>(-1) == "");
  CHECK(text_for<&sampling_params::scatter_absorption_last_n>(INT32_MIN) ==
        "scatter_absorption_last_n must be >= -1, got -2147483648");
}

TEST_CASE("dry_multiplier and dry_base are any finite numbers") {
  takes_every_finite_number<&sampling_params::dry_multiplier>();
  takes_every_finite_number<&sampling_params::dry_base>();
  CHECK(text_for<&sampling_params::dry_multiplier>(inf) == "dry_multiplier must be finite, got inf");
  CHECK(text_for<&sampling_params::dry_multiplier>(not_a_number) == "dry_multiplier must be finite, got nan");
  CHECK(text_for<&sampling_params::dry_base>(inf) == "dry_base must be finite, got inf");
  CHECK(text_for<&sampling_params::dry_base>(not_a_number) == "dry_base must be finite, got nan");
}

TEST_CASE("dry_allowed_length is not negative") {
  CHECK(text_for<&sampling_params::dry_allowed_length>(0) == "");
  CHECK(text_for<&sampling_params::dry_allowed_length>(INT32_MAX) == "");
  CHECK(text_for<&sampling_params::dry_allowed_length>(-1) == "dry_allowed_length must be >= 0, got -1");
}

TEST_CASE("a breaker holds any ids, but at least one") {
  sampling_params params;
  params.dry_sequence_breakers = {{5, 9}, {-3}, {2'000'000'000}};
  CHECK_FALSE(check(params, 10));
  params.dry_sequence_breakers.push_back({});
  CHECK(check(params).field == "dry_sequence_breakers");
  CHECK(check(params).text == "dry_sequence_breakers must hold at least one id each, got none");
}

TEST_CASE("the scatter strengths and collision are in [0, 1]") {
  takes_zero_to_one<&sampling_params::scatter_strength>();
  takes_zero_to_one<&sampling_params::scatter_collision>();
  CHECK(text_for<&sampling_params::scatter_strength>(-0.1f) ==
        "scatter_strength must be in [0, 1], got -0.1");
  CHECK(text_for<&sampling_params::scatter_strength>(above_one) ==
        "scatter_strength must be in [0, 1], got 1.0000001");
  CHECK(text_for<&sampling_params::scatter_strength>(not_a_number) ==
        "scatter_strength must be in [0, 1], got nan");
  CHECK(text_for<&sampling_params::scatter_collision>(-0.1f) ==
        "scatter_collision must be in [0, 1], got -0.1");
  CHECK(text_for<&sampling_params::scatter_collision>(1.25f) ==
        "scatter_collision must be in [0, 1], got 1.25");
  CHECK(text_for<&sampling_params::scatter_collision>(not_a_number) ==
        "scatter_collision must be in [0, 1], got nan");

  constexpr auto low = &sampling_params::scatter_strength_min, high = &sampling_params::scatter_strength_max;
  CHECK(text_for<low>(0.0f) == "");
  CHECK(text_for<low>(-0.1f) == "scatter_strength_min must be in [0, 1], got -0.1");
  CHECK(text_for<low>(1.5f) == "scatter_strength_min must be in [0, 1], got 1.5");
  CHECK(text_for<low>(not_a_number) == "scatter_strength_min must be in [0, 1], got nan");
  CHECK(text_for<high>(1.0f) == "");
  CHECK(text_for<high>(-0.1f) == "scatter_strength_max must be in [0, 1], got -0.1");
  CHECK(text_for<high>(1.5f) == "scatter_strength_max must be in [0, 1], got 1.5");
  CHECK(text_for<high>(not_a_number) == "scatter_strength_max must be in [0, 1], got nan");
}

TEST_CASE("scatter_strength_min is at most scatter_strength_max") {
  CHECK_FALSE(check({.scatter_strength_min = 0.3f, .scatter_strength_max = 0.3f}));
  const problem p = check({.scatter_strength_min = 0.5f, .scatter_strength_max = 0.3f});
  CHECK(p.field == "scatter_strength_min");
  CHECK(p.text == "scatter_strength_min must be <= scatter_strength_max (0.3), got 0.5");
}

TEST_CASE("scatter_k is at most 1024, scatter_steps at most 64; below two and one they are off") {
  CHECK(text_for<&sampling_params::scatter_k>(1024) == "");
  CHECK(text_for<&sampling_params::scatter_k>(1) == "");
  CHECK(text_for<&sampling_params::scatter_k>(-5) == "");
  CHECK(text_for<&sampling_params::scatter_k>(1025) == "scatter_k must be <= 1024, got 1025");
  CHECK(text_for<&sampling_params::scatter_steps>(64) == "");
  CHECK(text_for<&sampling_params::scatter_steps>(0) == "");
  CHECK(text_for<&sampling_params::scatter_steps>(-5) == "");
  CHECK(text_for<&sampling_params::scatter_steps>(65) == "scatter_steps must be <= 64, got 65");
}

TEST_CASE("scatter_radius is any finite number") {
  takes_every_finite_number<&sampling_params::scatter_radius>();
  CHECK(text_for<&sampling_params::scatter_radius>(inf) == "scatter_radius must be finite, got inf");
  CHECK(text_for<&sampling_params::scatter_radius>(not_a_number) == "scatter_radius must be finite, got nan");
}

TEST_CASE("scatter_entropy_target is in (0, 1)") {
  constexpr auto member = &sampling_params::scatter_entropy_target;
  CHECK(text_for<member>(tiny) == "");
  CHECK(text_for<member>(below_one) == "");
  CHECK(text_for<member>(0.0f) == "scatter_entropy_target must be in (0, 1), got 0");
  CHECK(text_for<member>(1.0f) == "scatter_entropy_target must be in (0, 1), got 1");
  CHECK(text_for<member>(not_a_number) == "scatter_entropy_target must be in (0, 1), got nan");
}

TEST_CASE("scatter_absorption is not negative") {
  constexpr auto member = &sampling_params::scatter_absorption;
  CHECK(text_for<member>(-0.0f) == "");
  CHECK(text_for<member>(largest) == "");
  CHECK(text_for<member>(-tiny) == "scatter_absorption must be finite and >= 0, got -1e-45");
  CHECK(text_for<member>(inf) == "scatter_absorption must be finite and >= 0, got inf");
  CHECK(text_for<member>(not_a_number) == "scatter_absorption must be finite and >= 0, got nan");
}

TEST_CASE("ids of biases lie in the vocabulary") {
  for (const auto member : {&sampling_params::logit_bias, &sampling_params::language_bias}) {
    sampling_params params;
    params.*member = {{0, 1.0f}, {31999, 1.0f}};
    CHECK_FALSE(check(params));
    CHECK_FALSE(check(params, 32000));
    CHECK(check(params, 31999));
    params.*member = {{-1, 1.0f}};
    CHECK(check(params));
  }
  CHECK(check({.logit_bias = {{50000, 1.0f}}}, 32000).text ==
        "logit_bias must hold ids in [0, 32000), got 50000");
  CHECK(check({.language_bias = {{-1, 1.0f}}}).text == "language_bias must hold ids >= 0, got -1");
}

TEST_CASE("a bias may be infinite, but not NaN") {
  CHECK_FALSE(check({.logit_bias = {{1, inf}, {2, -inf}}, .language_bias = {{1, inf}, {2, -inf}}}));
  CHECK(check({.logit_bias = {{3, 0.0f}, {7, not_a_number}}}).text ==
        "logit_bias must hold numbers, got nan for token 7");
  CHECK(check({.language_bias = {{7, -not_a_number}}}).text ==
        "language_bias must hold numbers, got nan for token 7");
}

TEST_CASE("suppressed and protected tokens lie in the vocabulary") {
  for (const auto member : {&sampling_params::suppressed_tokens, &sampling_params::xtc_protected}) {
    sampling_params params;
    params.*member = {0, 99};
    CHECK_FALSE(check(params));
    CHECK_FALSE(check(params, 100));
    CHECK(check(params, 99));
    params.*member = {3, -1};
    CHECK(check(params));
    CHECK(check(params, 100));
  }
  CHECK(check({.suppressed_tokens = {100}}, 100).text ==
        "suppressed_tokens must hold ids in [0, 100), got 100");
  CHECK(check({.xtc_protected = {-7}}, 100).text == "xtc_protected must hold ids in [0, 100), got -7");
}

TEST_CASE("an enum holds one of its names") {
  CHECK_FALSE(check({.truncation = sluice::truncation_rule::joint,
                     .engine = sluice::truncation_engine::rejection,
                     .draw = sluice::draw_method::softmax}));
  CHECK(check({.truncation = sluice::truncation_rule{2}}).text ==
        "truncation must be one of sequential, joint, got 2");
  CHECK(check({.engine = sluice::truncation_engine{4}}).text ==
        "engine must be one of automatic, sort, select, rejection, got 4");
  CHECK(check({.draw = sluice::draw_method{255}}).text == "draw must be one of gumbel, softmax, got 255");
}

TEST_CASE("a vocabulary has fewer than 2^20 tokens") {
  CHECK_FALSE(check({}, 1));
  CHECK_FALSE(check({}, 1048575));
  CHECK(check({}, 1048576).field == "vocab_size");
  CHECK(check({}, 1048576).text == "vocab_size must be <= 1048575, got 1048576");
}

TEST_CASE("the coin-free XTC stands alone") {
  sampling_params params = {.xtc_probability = 0.5f, .xtc_marginal = true};
  CHECK_FALSE(check(params));

  SUBCASE("with an active scatter it is a problem") {
    params.scatter_strength = 0.1f;
    CHECK(check(params).field == "xtc_marginal");
    CHECK(check(params).text == "xtc_marginal must be false together with scatter, got true");
  }
  SUBCASE("adaptive and absorbing scatter are active without a strength") {
    params.scatter_adaptive = true;
    CHECK(check(params));
    params.scatter_adaptive = false;
    params.scatter_absorption = 0.1f;
    CHECK(check(params));
  }
  SUBCASE("a scatter that does nothing is no problem") {
    params.scatter_strength = 0.1f;
    params.scatter_collision = 0;
    CHECK_FALSE(check(params));
    params.scatter_collision = 1;
    params.scatter_k = 1;
    CHECK_FALSE(check(params));
    params.scatter_k = 2;
    params.scatter_radius = 0;
    CHECK_FALSE(check(params));
    params.scatter_radius = 1;
    params.scatter_steps = 0;
    CHECK_FALSE(check(params));
  }
  SUBCASE("with dynamic temperature it is a problem") {
    params.dynatemp_range = 0.5f;
    CHECK(check(params).text == "xtc_marginal must be false together with dynatemp_range > 0, got true");
    params.dynatemp_range = -0.5f;
    CHECK_FALSE(check(params));
  }
  SUBCASE("a stage that the order does not name is not there") {
    params.scatter_strength = 0.1f;
    params.order = "xtc;temperature";
    CHECK_FALSE(check(params));
    params.order = "scatter;temperature";
    CHECK_FALSE(check(params));
    params.order = "xtc;scatter;temperature";
    CHECK(check(params));
    params.scatter_strength = 0;
    params.dynatemp_range = 0.5f;
    params.order = "xtc;scatter";
    CHECK_FALSE(check(params));
  }
}

TEST_CASE("a stage made by hand is checked by the ranges that it lists") {
  using sluice::detail::check_stage;
  CHECK(check_stage(sluice::top_p{.p = 1.5f}).text == "top_p must be in [0, 1], got 1.5");
  CHECK(check_stage(sluice::scatter{.k = 2000}).text == "scatter_k must be <= 1024, got 2000");
  CHECK_FALSE(check_stage(sluice::top_p{.p = 1.0f}));
  CHECK(check_stage(sluice::xtc{.protected_tokens = {-5}}).field == "xtc_protected");
  CHECK(check_stage(sluice::scatter{.strength_min = 0.4f, .strength_max = 0.3f}).field ==
        "scatter_strength_min");
}

TEST_CASE("adaptive_target is a finite number up to one") {
  constexpr auto member = &sampling_params::adaptive_target;
  CHECK(text_for<member>(-largest) == "");
  CHECK(text_for<member>(1.0f) == "");
  CHECK(text_for<member>(above_one) == "adaptive_target must be finite and <= 1, got 1.0000001");
  CHECK(text_for<member>(not_a_number) == "adaptive_target must be finite and <= 1, got nan");
}

TEST_CASE("mirostat is a version, min_tokens a count, adaptive_decay below one") {
  CHECK(text_for<&sampling_params::mirostat>(2) == "");
  CHECK(text_for<&sampling_params::mirostat>(3) == "mirostat must be <= 2, got 3");
  CHECK(text_for<&sampling_params::mirostat>(-1) == "mirostat must be >= 0, got -1");
  CHECK(text_for<&sampling_params::min_tokens>(-1) == "min_tokens must be >= 0, got -1");
  CHECK(text_for<&sampling_params::adaptive_decay>(1.0f) == "adaptive_decay must be in [0, 0.99], got 1");
}
