// A configuration of llama.cpp means the same here. Needs no library.
#include <doctest/doctest.h>

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sluice/adapter/llama_cpp/breakers.hpp>
#include <sluice/adapter/llama_cpp/params.hpp>
#include <sluice/chain/check.hpp>
#include <stdexcept>
#include <string>
#include <vector>

// A vocabulary of a few pieces, with the functions that llama.h has for one.
namespace imitation {

struct llama_vocab {
  std::vector<std::string> pieces;
};

inline std::int32_t llama_vocab_n_tokens(const llama_vocab* vocab) {
  return std::int32_t(vocab->pieces.size());
}

inline std::int32_t llama_detokenize(const llama_vocab* vocab, const std::int32_t* tokens, std::int32_t,
                                     char* text, std::int32_t room, bool, bool) {
  const std::string& piece = vocab->pieces[std::size_t(*tokens)];
  if (std::size_t(room) < piece.size()) return -std::int32_t(piece.size());
  std::copy(piece.begin(), piece.end(), text);
  return std::int32_t(piece.size());
}

/// A token for every character.
inline std::int32_t llama_tokenize(const llama_vocab* vocab, const char* text, std::int32_t size,
                                   std::int32_t* tokens, std::int32_t room, bool, bool) {
  if (room < size) return -size;
  for (std::int32_t i = 0; i < size; ++i)
    tokens[i] = std::int32_t(std::find(vocab->pieces.begin(), vocab->pieces.end(), std::string(1, text[i])) -
                             vocab->pieces.begin());
  return size;
}

}  // namespace imitation

// As in llama.cpp's common/: the types are global there, and found by the types of the arguments.
namespace imitation {

enum class common_sampler_type { dry = 1, top_k = 2, temperature = 7, infill = 9, penalties = 10 };

inline char common_sampler_type_to_chr(common_sampler_type type) {
  switch (type) {
    case common_sampler_type::dry:
      return 'd';
    case common_sampler_type::top_k:
      return 'k';
    case common_sampler_type::temperature:
      return 't';
    case common_sampler_type::penalties:
      return 'e';
    default:
      return 'i';
  }
}

struct token_and_bias {
  std::int32_t token;
  float bias;
};

struct common_params_sampling {
  std::uint32_t seed = 0xFFFFFFFF;
  std::int32_t min_keep = 0, top_k = 40;
  float top_p = 0.95f, min_p = 0.05f, xtc_probability = 0, xtc_threshold = 0.1f, typ_p = 1, temp = 0.8f;
  float dynatemp_range = 0, dynatemp_exponent = 1;
  std::int32_t penalty_last_n = 64;
  float penalty_repeat = 1, penalty_freq = 0, penalty_present = 0, dry_multiplier = 0, dry_base = 1.75f;
  std::int32_t dry_allowed_length = 2, dry_penalty_last_n = -1;
  float top_n_sigma = -1;
  std::vector<common_sampler_type> samplers = {common_sampler_type::penalties, common_sampler_type::dry,
                                               common_sampler_type::top_k, common_sampler_type::temperature};
  std::int32_t mirostat = 0;
  float mirostat_tau = 5, mirostat_eta = 0.1f, adaptive_target = -1, adaptive_decay = 0.9f;
  std::vector<token_and_bias> logit_bias = {};
};

}  // namespace imitation

namespace {

using sluice::sampling_params;

TEST_SUITE("carry_over") {
  TEST_CASE("the defaults are llama.cpp's, with its order") {
    const sampling_params p = sluice::llama::defaults();
    CHECK(p.temperature == 0.8f);
    CHECK(p.top_k == 40);
    CHECK(p.top_p == 0.95f);
    CHECK(p.min_p == 0.05f);
    CHECK(p.penalty_last_n == 64);
    CHECK(p.dry_penalty_last_n == -1);
    CHECK(p.order == "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;scatter;temperature");
    CHECK_FALSE(sluice::check(p));
  }

  TEST_CASE("options of its programs are read as they stand on a command line") {
    sampling_params p = sluice::llama::defaults();
    const auto set = [&p](const char* name, const char* value) {
      const sluice::problem found = sluice::llama::set(p, name, value);
      CHECK_MESSAGE(!found, found.text);
    };
    set("--temp", "0.7");
    set("--top-k", "20");
    set("--top-nsigma", "1.5");
    set("--typical", "0.9");
    set("--repeat-last-n", "-1");
    set("--repeat-penalty", "1.1");
    set("--presence-penalty", "0.2");
    set("--dry-multiplier", "0.8");
    set("--dry-penalty-last-n", "128");
    set("--dynatemp-range", "0.2");
    set("--dynatemp-exp", "1.5");
    set("--xtc-probability", "0.5");
    set("--scatter-strength", "0.14");
    set("-s", "7");
    set("-l", "15043+1");
    set("--logit-bias", "29905-1.5");
    CHECK(p.temperature == 0.7f);
    CHECK(p.top_k == 20);
    CHECK(p.top_n_sigma == 1.5f);
    CHECK(p.typical_p == 0.9f);
    CHECK(p.penalty_last_n == -1);
    CHECK(p.repetition_penalty == 1.1f);
    CHECK(p.presence_penalty == 0.2f);
    CHECK(p.dry_multiplier == 0.8f);
    CHECK(p.dry_penalty_last_n == 128);
    CHECK(p.dynatemp_range == 0.2f);
    CHECK(p.dynatemp_exponent == 1.5f);
    CHECK(p.xtc_probability == 0.5f);
    CHECK(p.scatter_strength == 0.14f);
    CHECK(p.seed == 7);
    REQUIRE(p.logit_bias.size() == 2);
    CHECK(p.logit_bias[1].token == 29905);
    CHECK(p.logit_bias[1].bias == -1.5f);
    for (const char* random : {"-1", "4294967295"}) {
      set("--seed", random);
      CHECK_FALSE(p.seed.has_value());
      p.seed = 1;
    }
    set("--mirostat", "2");
    set("--mirostat-ent", "4");
    set("--mirostat-lr", "0.2");
    set("--adaptive-target", "0.5");
    CHECK(p.mirostat == 2);
    CHECK(p.mirostat_tau == 4.0f);
    CHECK(p.mirostat_eta == 0.2f);
    CHECK(p.adaptive_target == 0.5f);
    CHECK_FALSE(sluice::check(p));
    CHECK(sluice::llama::set(p, "--grammar", "root ::= \"a\""));
  }

  TEST_CASE("orders come as names or as letters") {
    sampling_params p;
    CHECK_FALSE(sluice::llama::set(p, "--samplers", "top_k;temperature"));
    CHECK(p.order == "top_k;temperature");
    CHECK_FALSE(sluice::llama::set(p, "--sampler-seq", "edskypmxrt"));
    CHECK(p.order == "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;scatter;temperature");
    CHECK(sluice::llama::set(p, "--samplers", "top_k;infill"));
  }

  TEST_CASE("windows of -1 are the context, and off below that") {
    sampling_params p;
    p.penalty_last_n = -1;
    p.dry_penalty_last_n = -7;
    p.scatter_absorption_last_n = 0;
    sluice::llama::fit(p, 4096);
    CHECK(p.penalty_last_n == 4096);
    CHECK(p.dry_penalty_last_n == 0);
    CHECK(p.scatter_absorption_last_n == 0);
  }

  TEST_CASE("numbers out of range are off, or the end of the range") {
    sampling_params p{
        .top_p = 1.5f, .min_p = -1, .typical_p = 0, .xtc_probability = 0.5f, .xtc_threshold = 0.6f};
    sluice::llama::fit(p, 64);
    CHECK(p.top_p == 1);
    CHECK(p.min_p == 0);
    CHECK(p.typical_p == FLT_MIN);
    CHECK(p.xtc_probability == 0);
    CHECK_FALSE(sluice::check(p));
  }

  TEST_CASE("breakers of text become the tokens that hold them, and those that begin them") {
    const imitation::llama_vocab vocab{
        {"\n", ":", "a", "b", "c", ".\n\n", "ab", "xa", "abc", std::string(100, 'c')}};
    using breakers = std::vector<std::vector<sluice::token_id>>;
    const auto of = [&vocab](const std::vector<std::string>& texts) {
      return sluice::llama::dry_breakers(&vocab, texts);
    };
    CHECK(of({"\n"}) == breakers{{0}, {5}});
    CHECK(of({"\n", ":", ""}) == breakers{{0}, {1}, {5}});
    // "abc": the token abc; a, xa before b c; ab before c.
    CHECK(of({"abc"}) == breakers{{2, 3, 4}, {6, 4}, {7, 3, 4}, {8}});
    CHECK(of({"cc"}) == breakers{{4, 4}, {8, 4}, {9}});
    // 40 characters of a text count, 20 tokens of its rest.
    const breakers long_one = of({std::string(60, 'a')});
    REQUIRE(long_one.size() == 2);
    CHECK(long_one[0].size() == 21);
  }

  TEST_CASE("from the parameters of its own programs") {
    imitation::common_params_sampling common;
    common.temp = 0.5f;
    common.mirostat = 1;
    common.mirostat_tau = 3;
    common.adaptive_target = 0.25f;
    common.typ_p = 0.9f;
    common.penalty_repeat = 1.3f;
    common.logit_bias = {{5, -2.0f}};
    const sampling_params p = sluice::llama::params_from(common, 2048, {{13}});
    CHECK_FALSE(p.seed.has_value());
    CHECK(p.order == "edkt");
    CHECK(p.mirostat == 1);
    CHECK(p.mirostat_tau == 3.0f);
    CHECK(p.adaptive_target == 0.25f);
    CHECK(p.temperature == 0.5f);
    CHECK(p.top_k == 40);
    CHECK(p.typical_p == 0.9f);
    CHECK(p.repetition_penalty == 1.3f);
    CHECK(p.penalty_last_n == 64);
    CHECK(p.dry_penalty_last_n == 2048);
    CHECK(p.dry_sequence_breakers == std::vector<std::vector<sluice::token_id>>{{13}});
    REQUIRE(p.logit_bias.size() == 1);
    CHECK(p.logit_bias[0].token == 5);
    CHECK_FALSE(sluice::check(p));
    setenv("SLUICE_DRAW", "softmax", 1);
    CHECK(sluice::llama::params_from(common, 2048).draw == sluice::draw_method::softmax);
    setenv("SLUICE_DRAW", "dice", 1);
    CHECK_THROWS_WITH_AS(sluice::llama::params_from(common, 2048),
                         "SLUICE_DRAW must be one of gumbel, softmax, got \"dice\"", std::invalid_argument);
    unsetenv("SLUICE_DRAW");
    common.samplers.push_back(imitation::common_sampler_type::infill);
    CHECK(sluice::check(sluice::llama::params_from(common, 2048)));
  }
}

}  // namespace
