#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "piece_tokenizer.hpp"
#include "support.hpp"
#include "transformer.hpp"

namespace {

using namespace storyteller;
using storyteller_tests::best_story;
using storyteller_tests::outcome;
using storyteller_tests::read_file;
using storyteller_tests::run;
using storyteller_tests::scratch;

// A trained transformer of 260 thousand parameters, which is not part of the project.
struct real_model {
  std::string model, tokenizer;

  outcome tell(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--model", model, "--tokenizer", tokenizer});
    return run(arguments);
  }
  std::string best(std::string_view prompt, std::size_t n_predict) const {
    const piece_tokenizer pieces(tokenizer);
    transformer weights(model);
    return best_story(weights, pieces, prompt, n_predict) + "\n";
  }
};

bool found(real_model& files) {
  const char* variable = std::getenv("SLUICE_SHARED_DIR");
  const std::filesystem::path models =
      std::filesystem::path(variable ? variable : SLUICE_SHARED_DIR) / "models";
  files = {(models / "stories260K.bin").string(), (models / "tok512.bin").string()};
  if (std::filesystem::exists(files.model) && std::filesystem::exists(files.tokenizer)) return true;
  MESSAGE("skipped: no model in " << models.string());
  return false;
}

TEST_SUITE("real_model") {
  TEST_CASE("it tells a story that is known") {
    real_model files;
    if (!found(files)) return;
    const std::string story = files.tell({"--temp", "0", "-n", "64"}).out;
    CHECK(story.starts_with(
        "Once upon a time, there was a little girl named Lily. She loved to play outside in "
        "the park. One day, she saw a big, red ball."));
  }

  TEST_CASE("temperature 0 takes its best token at each step") {
    real_model files;
    if (!found(files)) return;
    for (const char* prompt : {"", "Tom had a dog", "The sun was warm, and the cat"}) {
      CHECK(files.tell({"--temp", "0", "-p", prompt}).out == files.best(prompt, 256));
    }
    CHECK(files.tell({"--temp", "0.8", "--seed", "1"}).out != files.best("", 256));
  }

  TEST_CASE("the same seed twice tells the same story, another seed another one") {
    real_model files;
    if (!found(files)) return;
    const outcome first = files.tell({"--seed", "7"});
    CHECK(first.exit_code == 0);
    CHECK(first.out.size() > 200);
    CHECK(first.out == files.tell({"--seed", "7"}).out);
    CHECK(first.out != files.tell({"--seed", "8"}).out);
  }

  TEST_CASE("a prompt in any script passes through unchanged") {
    real_model files;
    if (!found(files)) return;
    const std::string prompt = "Zoë sah 猫 und 🐕\n\"Hallo\" ";
    CHECK(files.tell({"-n", "0", "-p", prompt}).out == prompt + "\n");
    CHECK(files.tell({"-n", "20", "-p", prompt}).out.starts_with(prompt));
  }

  TEST_CASE("a story stops where the model's context is full") {
    real_model files;
    if (!found(files)) return;
    // The tokens that end a story are kept out.
    const outcome told = files.tell({"-n", "100000", "--suppressed-tokens", "1,2"});
    CHECK(told.exit_code == 0);
    CHECK(told.err.find("context is full") != std::string::npos);
    CHECK(told.err.find("512 tokens after a prompt of 1,") != std::string::npos);
  }

  TEST_CASE("a prompt that is longer than the context is refused") {
    real_model files;
    if (!found(files)) return;
    const outcome refused = files.tell({"-p", std::string(5000, 'x')});
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
    CHECK(storyteller_tests::lines(refused.err) == 1);
    CHECK(refused.err.find("--prompt must have at most 511 tokens") != std::string::npos);
  }

  TEST_CASE("a file that is cut short is refused") {
    real_model files;
    if (!found(files)) return;
    const scratch cut;
    const std::string weights = read_file(files.model), pieces = read_file(files.tokenizer);
    for (const std::size_t size : {std::size_t{5}, std::size_t{28}, weights.size() / 2, weights.size() - 1}) {
      const outcome refused = real_model{cut.write("m", weights.substr(0, size)), files.tokenizer}.tell({});
      CHECK(refused.exit_code == 1);
      CHECK(refused.out.empty());
      CHECK(storyteller_tests::lines(refused.err) == 1);
    }
    const outcome refused = real_model{files.model, cut.write("t", pieces.substr(0, 600))}.tell({});
    CHECK(refused.exit_code == 1);
    CHECK(storyteller_tests::lines(refused.err) == 1);
  }
}

}  // namespace
