#include <doctest/doctest.h>

#include <sluice/sluice.hpp>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "ngram.hpp"
#include "support.hpp"
#include "word_tokenizer.hpp"

namespace {

using namespace storyteller;
using storyteller_tests::best_story;
using storyteller_tests::lines;
using storyteller_tests::outcome;
using storyteller_tests::run;
using storyteller_tests::scratch;

std::string builtin_best_story(std::string_view prompt, std::size_t n_predict) {
  const word_tokenizer vocabulary(stories());
  ngram model(vocabulary, stories());
  return best_story(model, vocabulary, prompt, n_predict) + "\n";
}

// A command line that is refused: nothing told, one line that holds `words`.
void check_refused(const std::vector<std::string>& arguments, int exit_code,
                   const std::vector<std::string>& words) {
  const outcome refused = run(arguments);
  CAPTURE(refused.err);
  CHECK(refused.exit_code == exit_code);
  CHECK(refused.out.empty());
  CHECK(lines(refused.err) == 1);
  for (const std::string& word : words) CHECK(refused.err.find(word) != std::string::npos);
}

TEST_SUITE("program") {
  TEST_CASE("the same seed twice tells the same story, another seed another one") {
    const outcome first = run({"--seed", "7"});
    CHECK(first.exit_code == 0);
    CHECK(first.out == run({"--seed", "7"}).out);
    CHECK(first.out != run({"--seed", "8"}).out);
  }

  TEST_CASE("without a seed two stories differ, and either can be told again by the seed that it reports") {
    const outcome first = run({}), second = run({});
    CHECK(first.out != second.out);
    const std::string label = "seed ";
    const std::size_t at = first.err.find(label) + label.size();
    const std::string seed = first.err.substr(at, first.err.find('\n', at) - at);
    CHECK(run({"--seed", seed}).out == first.out);
  }

  TEST_CASE("the story goes to stdout and everything else to stderr") {
    const outcome told = run({"--seed", "7", "--prompt", "Once upon a time", "--n-predict", "50"});
    CHECK(told.exit_code == 0);
    CHECK(told.out.starts_with("Once upon a time"));
    CHECK(told.out.find("storyteller") == std::string::npos);
    for (const char* word : {"seed 7", "stopped: ", "tokens per second"}) {
      CHECK(told.err.find(word) != std::string::npos);
    }
    const word_tokenizer vocabulary(stories());
    CHECK(vocabulary.encode(told.out).tokens.size() == 54);
  }

  TEST_CASE("no token may be asked for") { CHECK(run({"-n", "0", "--prompt", "Once"}).out == "Once\n"); }

  TEST_CASE("temperature 0 takes the model's best token at each step, and so does top-k 1") {
    const std::string best = builtin_best_story("One day", 200);
    CHECK(run({"--temp", "0", "-n", "200", "-p", "One day"}).out == best);
    CHECK(run({"--top-k", "1", "-n", "200", "-p", "One day"}).out == best);
    CHECK(run({"--preset", "cli", "-n", "200", "-p", "One day"}).out == best);
    CHECK(run({"--temp", "0", "--dry-multiplier", "0.8", "-n", "200", "-p", "One day"}).out != best);
    CHECK(run({"--temp", "0.8", "--seed", "1", "-n", "200", "-p", "One day"}).out != best);
  }

  TEST_CASE("an order is given by names or by letters") {
    const outcome names = run({"--seed", "3", "--samplers", "dry;top_k;temperature"});
    CHECK(names.exit_code == 0);
    CHECK(names.out == run({"--seed", "3", "--sampler-seq", "dkt"}).out);
    CHECK(names.out != run({"--seed", "3", "--samplers", "top_k"}).out);
  }

  TEST_CASE("every sampling parameter has an option of its name") {
    const std::string help = run({"--help"}).out;
    for (const sluice::detail::field& field : sluice::detail::fields) {
      std::string option = "--" + std::string(field.name);
      std::replace(option.begin(), option.end(), '_', '-');
      CAPTURE(option);
      CHECK(help.find(option) != std::string::npos);
    }
  }

  TEST_CASE("the usual short names mean the same") {
    const std::string seed = "11";
    const std::vector<std::vector<std::string>> pairs[] = {
        {{"--temperature", "1.5"}, {"--temp", "1.5"}},
        {{"--typical-p", "0.5"}, {"--typical", "0.5"}},
        {{"--repetition-penalty", "1.4"}, {"--repeat-penalty", "1.4"}},
        {{"--penalty-last-n", "9", "--presence-penalty", "2"},
         {"--repeat-last-n", "9", "--presence-penalty", "2"}},
    };
    const std::string plain = run({"--seed", seed}).out;
    for (const auto& pair : pairs) {
      std::string told[2];
      for (std::size_t i = 0; i < 2; ++i) {
        std::vector<std::string> arguments = pair[i];
        arguments.insert(arguments.end(), {"--seed", seed});
        told[i] = run(arguments).out;
      }
      CAPTURE(pair[0][0]);
      CHECK(told[0] == told[1]);
      CHECK(told[0] != plain);
    }
  }

  TEST_CASE("a bias forces and bans tokens, and lists may be given piece by piece") {
    const word_tokenizer vocabulary(stories());
    const std::string fox = std::to_string(vocabulary.encode("fox").tokens.front());
    CHECK(run({"--logit-bias", fox + "+inf", "-n", "3"}).out == "fox fox fox\n");
    const std::string best = run({"--temp", "0", "-n", "1"}).out;
    const std::string first = std::to_string(vocabulary.encode(best).tokens.front());
    CHECK(run({"--temp", "0", "-n", "1", "--suppressed-tokens", first}).out != best);
    CHECK(run({"--temp", "0", "-n", "1", "--suppressed-tokens", "3", "--suppressed-tokens", first}).out !=
          best);
  }

  TEST_CASE("sequence breakers are texts") {
    const std::vector<std::string> dry = {"--temp", "0",  "--dry-multiplier", "5", "-p", "The fox",
                                          "-n",     "120"};
    const auto with = [&](std::vector<std::string> breakers) {
      breakers.insert(breakers.end(), dry.begin(), dry.end());
      return run(breakers).out;
    };
    const std::string usual = with({});
    CHECK(usual == with({"--dry-sequence-breaker", "\\n", "--dry-sequence-breaker", ":",
                         "--dry-sequence-breaker", "\""}));
    const std::string none = with({"--dry-sequence-breaker", "none"});
    CHECK(none != usual);
    CHECK(none == with({"--dry-sequence-breaker", ":", "--dry-sequence-breaker", "none"}));
  }

  TEST_CASE("a value out of its range is refused in one line that names field, range and value") {
    check_refused({"--top-p", "1.5"}, 2, {"top_p", "[0, 1]", "1.5"});
    check_refused({"--repeat-last-n", "-2"}, 2, {"penalty_last_n", ">= -1", "-2"});
    check_refused({"--repeat-penalty", "0"}, 2, {"repetition_penalty", "> 0", "0"});
    check_refused({"--logit-bias", "99999+1"}, 2, {"logit_bias", "99999"});
    check_refused({"--n-predict", "-5"}, 2, {"--n-predict", "0 to", "-5"});
  }

  TEST_CASE("a value that is no value is refused in one line that names the option") {
    check_refused({"--top-k", "many"}, 2, {"--top-k", "many"});
    check_refused({"--temp"}, 2, {"--temperature"});
    check_refused({"--samplers", "top_k;bogus"}, 2, {"--samplers", "bogus", "penalties"});
    check_refused({"--sampler-seq", "kz"}, 2, {"--sampler-seq", "z"});
    check_refused({"--preset", "bogus"}, 2, {"--preset", "bogus", "llama_server"});
    check_refused({"--scatter-preset", "bogus"}, 2, {"--scatter-preset", "bogus", "subtle"});
    check_refused({"--bogus"}, 2, {"--bogus"});
    check_refused({"--model", "m"}, 2, {"--model", "--tokenizer"});
  }

  TEST_CASE("a file that cannot be used is named in one line") {
    const scratch files;
    const std::string missing = files.path("missing"), empty = files.write("empty", "");
    const std::string pieces =
        files.write("pieces", storyteller_tests::bytes().number(std::int32_t{1}).all());
    check_refused({"--model", empty, "--tokenizer", missing}, 1, {missing, "no such file"});
    check_refused({"--model", empty, "--tokenizer", empty}, 1, {empty, "cut short"});
    check_refused({"--model", missing, "--tokenizer", pieces}, 1, {missing, "no such file"});
    check_refused({"--model", empty, "--tokenizer", pieces}, 1, {empty, "cut short"});
    check_refused({"--model", files.path(""), "--tokenizer", pieces}, 1, {"not a regular file"});
  }
}

}  // namespace
