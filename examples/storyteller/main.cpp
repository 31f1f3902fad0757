// Tells a story: reads the prompt, then draws token after token.

#include <chrono>
#include <cmath>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <sluice/sluice.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binary_file.hpp"
#include "corpus.hpp"
#include "model.hpp"
#include "ngram.hpp"
#include "options.hpp"
#include "piece_tokenizer.hpp"
#include "tokenizer.hpp"
#include "transformer.hpp"
#include "word_tokenizer.hpp"

namespace storyteller {
namespace {

constexpr int success = 0, failure = 1, usage = 2;

void note(const std::string& text) { std::cerr << "storyteller: " << text << '\n'; }

struct voice {
  std::unique_ptr<storyteller::tokenizer> tokenizer;
  std::unique_ptr<storyteller::model> model;
};

voice load(const options& wanted) {
  if (wanted.model.empty()) {
    auto words = std::make_unique<word_tokenizer>(stories());
    auto model = std::make_unique<ngram>(*words, stories());
    return {std::move(words), std::move(model)};
  }
  voice loaded{std::make_unique<piece_tokenizer>(wanted.tokenizer),
               std::make_unique<transformer>(wanted.model)};
  if (loaded.tokenizer->size() != loaded.model->vocab_size()) {
    throw file_error(wanted.tokenizer + ": has " + std::to_string(loaded.tokenizer->size()) +
                     " pieces, the model has " + std::to_string(loaded.model->vocab_size()));
  }
  return loaded;
}

// The wanted parameters, with ids for what is text until a vocabulary is known.
sluice::sampling_params sampling_of(const options& wanted, const tokenizer& vocabulary) {
  sluice::sampling_params params = wanted.sampling;
  for (const std::string& text : wanted.breakers) {
    for (std::vector<token_id>& sequence : sequences_of(vocabulary, text)) {
      params.dry_sequence_breakers.push_back(std::move(sequence));
    }
  }
  if (const auto problem = sluice::check(params, vocabulary.size())) throw option_error(problem.text);
  return params;
}

// The prompt's tokens, after the one that begins a text.
std::vector<token_id> read_prompt(const std::string& text, const voice& teller) {
  encoding prompt = teller.tokenizer->encode(text);
  const std::size_t room = teller.model->context() - 1;
  if (prompt.tokens.size() > room) {
    throw option_error("--prompt must have at most " + std::to_string(room) + " tokens, got " +
                       std::to_string(prompt.tokens.size()));
  }
  std::string shown;
  token_id previous = teller.tokenizer->begin();
  for (const token_id token : prompt.tokens) {
    shown += teller.tokenizer->decode(previous, token);
    previous = token;
  }
  std::string unknown;
  for (const std::string& word : prompt.unknown) unknown += (unknown.empty() ? "" : ", ") + word;
  if (!unknown.empty()) note("the model has no token for: " + unknown);
  // Words that the model does not know are part of the story all the same.
  if (!unknown.empty()) shown = prompt.tokens.empty() ? text + ' ' : text;
  std::cout << shown << std::flush;
  prompt.tokens.insert(prompt.tokens.begin(), teller.tokenizer->begin());
  return std::move(prompt.tokens);
}

const char* explain(sluice::sample_status status) {
  switch (status) {
    case sluice::sample_status::no_token_left:
      return "every token is ruled out";
    case sluice::sample_status::out_of_memory:
      return "out of memory";
    default:
      return "the row of logits cannot be sampled";
  }
}

struct telling {
  std::size_t tokens = 0;
  std::string stop = {};  // why it did
  int exit_code = success;
};

telling tell(const std::vector<token_id>& prompt, std::size_t n_predict, const voice& teller,
             sluice::sampler& sampler) {
  sampler.accept_prompt(prompt);
  std::span<const float> logits;
  for (const token_id token : prompt) logits = teller.model->forward(token);

  token_id previous = prompt.back();
  std::size_t room = teller.model->context() - prompt.size();
  for (std::size_t told = 0;;) {
    if (told == n_predict) return {told, "as many tokens as --n-predict allows"};
    const sluice::sample_result next = sampler.next(logits);
    if (!next) return {told, explain(next.status), failure};
    if (teller.tokenizer->ends(next.token)) return {told, "the end of the story"};
    std::cout << teller.tokenizer->decode(previous, next.token) << std::flush;
    if (!std::cout) return {told, "the output is closed", failure};
    ++told;
    if (room-- == 0) return {told, "the model's context is full"};
    logits = teller.model->forward(next.token);
    previous = next.token;
  }
}

int run(const options& wanted) {
  const voice teller = load(wanted);
  sluice::sampler sampler(sampling_of(wanted, *teller.tokenizer));
  const std::vector<token_id> prompt = read_prompt(wanted.prompt, teller);
  note("seed " + std::to_string(sampler.sequence.seed()));

  const auto start = std::chrono::steady_clock::now();
  const telling story = tell(prompt, wanted.n_predict, teller, sampler);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << std::endl;

  const double speed = static_cast<double>(prompt.size() + story.tokens) / seconds.count();
  note("stopped: " + story.stop);
  note(std::to_string(story.tokens) + " tokens after a prompt of " + std::to_string(prompt.size()) + ", " +
       std::to_string(std::llround(speed)) + " tokens per second");
  return story.exit_code;
}

}  // namespace
}  // namespace storyteller

int main(int argc, char** argv) {
  using namespace storyteller;
  try {
    const auto wanted = parse_options(argc, argv);
    return wanted ? run(*wanted) : success;
  } catch (const option_error& error) {
    note(error.what());
    return usage;
  } catch (const std::bad_alloc&) {
    note("out of memory");
  } catch (const std::exception& error) {
    note(error.what());
  }
  return failure;
}
