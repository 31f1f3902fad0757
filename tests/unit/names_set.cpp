#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/chain/check.hpp>
#include <sluice/params/set.hpp>

using sluice::problem;
using sluice::sampling_params;
using sluice::set;

namespace {

/// The member after `set` took the text.
template <auto Member>
auto value_of(std::string_view name, std::string_view value) {
  sampling_params params;
  const problem p = set(params, name, value);
  CHECK(p.text == "");
  return params.*Member;
}

std::string text_for(std::string_view name, std::string_view value) {
  sampling_params params;
  return set(params, name, value).text;
}

}  // namespace

TEST_CASE("every number is set by the name of its field") {
  using P = sampling_params;
  CHECK(value_of<&P::temperature>("temperature", "0.8") == 0.8f);
  CHECK(value_of<&P::dynatemp_range>("dynatemp_range", "0.5") == 0.5f);
  CHECK(value_of<&P::dynatemp_exponent>("dynatemp_exponent", "2") == 2.0f);
  CHECK(value_of<&P::top_k>("top_k", "40") == 40);
  CHECK(value_of<&P::min_keep>("min_keep", "3") == 3);
  CHECK(value_of<&P::top_p>("top_p", "0.95") == 0.95f);
  CHECK(value_of<&P::min_p>("min_p", ".05") == 0.05f);
  CHECK(value_of<&P::typical_p>("typical_p", "0.7") == 0.7f);
  CHECK(value_of<&P::top_n_sigma>("top_n_sigma", "1.5") == 1.5f);
  CHECK(value_of<&P::xtc_probability>("xtc_probability", "0.5") == 0.5f);
  CHECK(value_of<&P::xtc_threshold>("xtc_threshold", "0.2") == 0.2f);
  CHECK(value_of<&P::repetition_penalty>("repetition_penalty", "1.1") == 1.1f);
  CHECK(value_of<&P::frequency_penalty>("frequency_penalty", "-0.3") == -0.3f);
  CHECK(value_of<&P::presence_penalty>("presence_penalty", "0.4") == 0.4f);
  CHECK(value_of<&P::penalty_last_n>("penalty_last_n", "64") == 64);
  CHECK(value_of<&P::dry_multiplier>("dry_multiplier", "0.8") == 0.8f);
  CHECK(value_of<&P::dry_base>("dry_base", "1.5") == 1.5f);
  CHECK(value_of<&P::dry_allowed_length>("dry_allowed_length", "4") == 4);
  CHECK(value_of<&P::dry_penalty_last_n>("dry_penalty_last_n", "128") == 128);
  CHECK(value_of<&P::scatter_strength>("scatter_strength", "0.14") == 0.14f);
  CHECK(value_of<&P::scatter_radius>("scatter_radius", "2") == 2.0f);
  CHECK(value_of<&P::scatter_k>("scatter_k", "32") == 32);
  CHECK(value_of<&P::scatter_steps>("scatter_steps", "2") == 2);
  CHECK(value_of<&P::scatter_strength_min>("scatter_strength_min", "0.1") == 0.1f);
  CHECK(value_of<&P::scatter_strength_max>("scatter_strength_max", "0.4") == 0.4f);
  CHECK(value_of<&P::scatter_entropy_target>("scatter_entropy_target", "0.6") == 0.6f);
  CHECK(value_of<&P::scatter_absorption>("scatter_absorption", "0.06") == 0.06f);
  CHECK(value_of<&P::scatter_collision>("scatter_collision", "0.25") == 0.25f);
  CHECK(value_of<&P::scatter_absorption_last_n>("scatter_absorption_last_n", "-1") == -1);
}

TEST_CASE("every switch is set by the name of its field") {
  using P = sampling_params;
  CHECK(value_of<&P::p_less>("p_less", "true"));
  CHECK(value_of<&P::xtc_marginal>("xtc_marginal", "1"));
  CHECK(value_of<&P::repetition_normalized>("repetition_normalized", "on"));
  CHECK(value_of<&P::scatter_adaptive>("scatter_adaptive", "yes"));
  for (const char* no : {"false", "0", "off", "no"}) {
    CAPTURE(no);
    CHECK_FALSE(value_of<&P::occurrence_counts_prompt>("occurrence_counts_prompt", no));
  }
  CHECK(text_for("p_less", "True") == "p_less must be true or false, got \"True\"");
  CHECK(text_for("p_less", "") == "p_less must be true or false, got \"\"");
  CHECK(text_for("p_less", "2") == "p_less must be true or false, got \"2\"");
}

TEST_CASE("every choice is set by name") {
  using P = sampling_params;
  CHECK(value_of<&P::truncation>("truncation", "joint") == sluice::truncation_rule::joint);
  CHECK(value_of<&P::truncation>("truncation", "sequential") == sluice::truncation_rule::sequential);
  CHECK(value_of<&P::engine>("engine", "automatic") == sluice::truncation_engine::automatic);
  CHECK(value_of<&P::engine>("engine", "sort") == sluice::truncation_engine::sort);
  CHECK(value_of<&P::engine>("engine", "select") == sluice::truncation_engine::select);
  CHECK(value_of<&P::engine>("engine", "rejection") == sluice::truncation_engine::rejection);
  CHECK(value_of<&P::draw>("draw", "gumbel") == sluice::draw_method::gumbel);
  CHECK(value_of<&P::draw>("draw", "softmax") == sluice::draw_method::softmax);
  CHECK(text_for("truncation", "both") == "truncation must be one of sequential, joint, got \"both\"");
  CHECK(text_for("draw", "1") == "draw must be one of gumbel, softmax, got \"1\"");
}

TEST_CASE("names of other systems mean the field") {
  using P = sampling_params;
  CHECK(value_of<&P::temperature>("temp", "2") == 2.0f);
  CHECK(value_of<&P::dynatemp_exponent>("dynatemp_exp", "2") == 2.0f);
  for (const char* name : {"typ_p", "typical"}) CHECK(value_of<&P::typical_p>(name, "0.5") == 0.5f);
  for (const char* name : {"n_sigma", "nsigma", "top_nsigma"})
    CHECK(value_of<&P::top_n_sigma>(name, "2") == 2.0f);
  CHECK(value_of<&P::min_keep>("min_tokens_to_keep", "2") == 2);
  for (const char* name : {"repeat_penalty", "penalty_repeat", "rep_pen"})
    CHECK(value_of<&P::repetition_penalty>(name, "1.2") == 1.2f);
  CHECK(value_of<&P::frequency_penalty>("penalty_freq", "0.2") == 0.2f);
  CHECK(value_of<&P::presence_penalty>("penalty_present", "0.2") == 0.2f);
  CHECK(value_of<&P::penalty_last_n>("repeat_last_n", "32") == 32);
  CHECK(value_of<&P::dry_sequence_breakers>("dry_sequence_breaker", "5").size() == 1);
  CHECK(value_of<&P::suppressed_tokens>("suppress_tokens", "5").size() == 1);
  for (const char* name : {"samplers", "sampler_seq", "sampling_seq"})
    CHECK(value_of<&P::order>(name, "") == "");
}

TEST_CASE("names may be in kebab-case") {
  using P = sampling_params;
  CHECK(value_of<&P::top_k>("top-k", "5") == 5);
  CHECK(value_of<&P::scatter_absorption_last_n>("scatter-absorption-last-n", "5") == 5);
  CHECK(value_of<&P::repetition_penalty>("repeat-penalty", "1.5") == 1.5f);
  CHECK(value_of<&P::order>("sampler-seq", "k") == "top_k");
}

TEST_CASE("an unknown name is a problem that tells it") {
  CHECK(text_for("beam_width", "4") ==
        "name must be a parameter of sampling_params or a known alias, got \"beam_width\"");
  for (const char* name : {"", "Top_K", "topk", "top_k ", "--top-k", "top_n-sigma", "tfs"}) {
    CAPTURE(name);
    sampling_params params;
    const problem p = set(params, name, "1");
    CHECK(p.field == "name");
  }
}

TEST_CASE("a number is the whole text, in any notation, without a locale") {
  using P = sampling_params;
  CHECK(value_of<&P::temperature>("temperature", "+0.5") == 0.5f);
  CHECK(value_of<&P::temperature>("temperature", "5e-1") == 0.5f);
  CHECK(value_of<&P::temperature>("temperature", "-1") == -1.0f);
  CHECK(value_of<&P::temperature>("temperature", "1e-40") == 1e-40f);
  CHECK(value_of<&P::top_k>("top_k", "+7") == 7);
  CHECK(value_of<&P::top_k>("top_k", "-2147483648") == INT32_MIN);
  for (const char* text :
       {"", " ", "+", "-", "+-1", "++1", "0.8x", "0,8", " 0.8", "0.8 ", "1e", "0x1p3", "one"}) {
    CAPTURE(text);
    CHECK(text_for("temperature", text) == "temperature must be a number, got \"" + std::string(text) + "\"");
  }
  for (const char* text : {"", "4.0", "1e3", "0x10", "4k", "+-4"}) {
    CAPTURE(text);
    CHECK(text_for("top_k", text) == "top_k must be an integer, got \"" + std::string(text) + "\"");
  }
}

TEST_CASE("a number that the field cannot hold is a problem") {
  CHECK(text_for("temperature", "1e39") ==
        "temperature must be a number that a float can hold, got \"1e39\"");
  CHECK(text_for("top_k", "2147483648") == "top_k must be an integer of 32 bits, got \"2147483648\"");
  CHECK(text_for("top_k", "-99999999999") == "top_k must be an integer of 32 bits, got \"-99999999999\"");
}

TEST_CASE("ranges are left to check") {
  sampling_params params;
  CHECK_FALSE(set(params, "top_p", "1.5"));
  CHECK(params.top_p == 1.5f);
  CHECK(check(params).text == "top_p must be in [0, 1], got 1.5");
  CHECK_FALSE(set(params, "top_p", "nan"));
  CHECK(check(params).text == "top_p must be in [0, 1], got nan");
}

TEST_CASE("a seed is any 64-bit number, or random") {
  using P = sampling_params;
  CHECK(value_of<&P::seed>("seed", "0") == std::uint64_t{0});
  CHECK(value_of<&P::seed>("seed", "+42") == std::uint64_t{42});
  CHECK(value_of<&P::seed>("seed", "18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  for (const char* none : {"random", "-1"}) {
    sampling_params params = {.seed = 7};
    CHECK_FALSE(set(params, "seed", none));
    CHECK_FALSE(params.seed.has_value());
  }
  for (const char* text : {"", "18446744073709551616", "-2", "7.0", "0x7", "none"}) {
    CAPTURE(text);
    CHECK(text_for("seed", text) ==
          "seed must be an integer in [0, 2^64) or random, got \"" + std::string(text) + "\"");
  }
}

TEST_CASE("tokens are a list of ids") {
  using P = sampling_params;
  using ids = std::vector<sluice::token_id>;
  CHECK(value_of<&P::suppressed_tokens>("suppressed_tokens", "1,2,3") == ids{1, 2, 3});
  CHECK(value_of<&P::xtc_protected>("xtc_protected", " 1 , +2,3, ") == ids{1, 2, 3});
  CHECK(value_of<&P::xtc_protected>("xtc_protected", "7") == ids{7});
  for (const char* text : {"1,,2", ",", "1 2", "1;2", "x", "1,none", "3000000000"}) {
    CAPTURE(text);
    CHECK(text_for("suppressed_tokens", text) ==
          "suppressed_tokens must be token ids separated by ',', got \"" + std::string(text) + "\"");
  }
}

TEST_CASE("biases are pairs of token and number") {
  sampling_params params;
  CHECK_FALSE(set(params, "logit_bias", "15043:1.5, 2:-inf,3:+inf,4 : -2"));
  REQUIRE(params.logit_bias.size() == 4);
  CHECK(params.logit_bias[0].token == 15043);
  CHECK(params.logit_bias[0].bias == 1.5f);
  CHECK(params.logit_bias[1].token == 2);
  CHECK(params.logit_bias[1].bias == -std::numeric_limits<float>::infinity());
  CHECK(params.logit_bias[2].bias == std::numeric_limits<float>::infinity());
  CHECK(params.logit_bias[3].token == 4);
  CHECK(params.logit_bias[3].bias == -2.0f);

  CHECK_FALSE(set(params, "language-bias", "15043+1,15043-1e-2"));
  REQUIRE(params.language_bias.size() == 2);
  CHECK(params.language_bias[0].bias == 1.0f);
  CHECK(params.language_bias[1].token == 15043);
  CHECK(params.language_bias[1].bias == -0.01f);

  for (const char* text :
       {"15043", "15043:", ":1", "15043:x", "15043:1:2", "15043++1", "1:1,,2:2", "1.5:1", "-", "1:1e99"}) {
    CAPTURE(text);
    CHECK(text_for("logit_bias", text) ==
          "logit_bias must be token:bias pairs separated by ',', got \"" + std::string(text) + "\"");
  }
}

TEST_CASE("breakers are sequences of ids") {
  using P = sampling_params;
  using lists = std::vector<std::vector<sluice::token_id>>;
  CHECK(value_of<&P::dry_sequence_breakers>("dry_sequence_breakers", "5 9;6 9") == lists{{5, 9}, {6, 9}});
  CHECK(value_of<&P::dry_sequence_breakers>("dry_sequence_breakers", " 5  9 ; 6;") == lists{{5, 9}, {6}});
  for (const char* text : {"5;;6", ";", "5,9", "5 x", "5;none"}) {
    CAPTURE(text);
    CHECK(text_for("dry_sequence_breakers", text) ==
          "dry_sequence_breakers must be token ids separated by ' ', breakers by ';', or none, got \"" +
              std::string(text) + "\"");
  }
}

TEST_CASE("an empty text or none clears a list") {
  for (const char* text : {"", " ", "none"}) {
    CAPTURE(text);
    sampling_params params = {.xtc_protected = {1},
                              .dry_sequence_breakers = {{1}},
                              .logit_bias = {{1, 1}},
                              .language_bias = {{1, 1}},
                              .suppressed_tokens = {1}};
    for (const char* name :
         {"xtc_protected", "dry_sequence_breakers", "logit_bias", "language_bias", "suppressed_tokens"})
      CHECK_FALSE(set(params, name, text));
    CHECK(params.xtc_protected.empty());
    CHECK(params.dry_sequence_breakers.empty());
    CHECK(params.logit_bias.empty());
    CHECK(params.language_bias.empty());
    CHECK(params.suppressed_tokens.empty());
  }
}

TEST_CASE("an order is kept as it was written") {
  using P = sampling_params;
  CHECK(value_of<&P::order>("order", "top-k; temp") == "top-k; temp");
  CHECK(value_of<&P::order>("samplers", "edskypmxrt") == "edskypmxrt");
  CHECK(text_for("order", "top_k;top_q")
            .starts_with("order \"top_k;top_q\" has the unknown name \"top_q\"; known: "));
}

TEST_CASE("a sampler sequence is letters even where they spell a name") {
  using P = sampling_params;
  CHECK(value_of<&P::order>("sampler_seq", "temp") == "temperature;penalties;min_p;top_p");
  CHECK(value_of<&P::order>("sampling-seq", "edskypmxrt") ==
        "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;scatter;temperature");
  CHECK(
      text_for("sampler_seq", "top_k").starts_with("order \"top_k\" has the unknown letter \"o\"; known: "));
}

TEST_CASE("a text that is refused changes nothing") {
  sampling_params params = {.seed = 7,
                            .order = "kt",
                            .top_k = 40,
                            .top_p = 0.5f,
                            .p_less = true,
                            .dry_sequence_breakers = {{5, 9}},
                            .logit_bias = {{1, 1}},
                            .suppressed_tokens = {1, 2},
                            .engine = sluice::truncation_engine::sort};
  for (const char* name : {"seed", "order", "sampler_seq", "top_k", "top_p", "p_less",
                           "dry_sequence_breakers", "logit_bias", "suppressed_tokens", "engine"}) {
    CAPTURE(name);
    CHECK(set(params, name, "1,2:1;?"));
  }
  CHECK(params.seed == std::uint64_t{7});
  CHECK(params.order == "kt");
  CHECK(params.top_k == 40);
  CHECK(params.top_p == 0.5f);
  CHECK(params.p_less);
  CHECK(params.dry_sequence_breakers == std::vector<std::vector<sluice::token_id>>{{5, 9}});
  CHECK(params.logit_bias.size() == 1);
  CHECK(params.suppressed_tokens.size() == 2);
  CHECK(params.engine == sluice::truncation_engine::sort);
}
