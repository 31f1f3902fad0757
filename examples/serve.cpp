// Serves sixteen prompts and more at once, as a server does: every step takes one row of each running
// request, each with parameters and a seed of its own; where one ends, the next takes its place. Twice: a
// token a step, and with drafts looked up in each request's own history. Then every text is held against that
// of its prompt alone.
//
//     example_serve [model.bin tokenizer.bin]      a llama2.c model; none: the storyteller's own

#include <sluice/sluice.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storyteller/corpus.hpp"
#include "storyteller/model.hpp"
#include "storyteller/ngram.hpp"
#include "storyteller/piece_tokenizer.hpp"
#include "storyteller/transformer.hpp"
#include "storyteller/word_tokenizer.hpp"

namespace {

using sluice::token_id;

constexpr std::size_t slots = 16, most_tokens = 96, most_drafts = 4;

struct engine {
  std::unique_ptr<storyteller::tokenizer> tokenizer;
  std::function<std::unique_ptr<storyteller::model>()> make_model;  // one for each running request
};

engine load(int argc, char** argv) {
  using namespace storyteller;
  if (argc == 3) {
    return {std::make_unique<piece_tokenizer>(argv[2]),
            [path = std::string(argv[1])] { return std::make_unique<transformer>(path); }};
  }
  auto words = std::make_unique<word_tokenizer>(stories());
  const word_tokenizer& vocabulary = *words;
  const auto read = std::make_shared<const ngram>(vocabulary, stories());
  return {std::move(words), [read] { return std::make_unique<ngram>(*read); }};
}

struct request {
  std::vector<token_id> prompt;
  sluice::sampling_params params;
};

/// Twenty requests, all different.
std::vector<request> requests(const storyteller::tokenizer& tokenizer) {
  constexpr std::array beginnings{"Once upon a time", "The little cat", "One day", "There was a",
                                  "Tom and his dog"};
  std::vector<request> all;
  for (std::size_t i = 0; i < 20; ++i) {
    request r;
    r.prompt = {tokenizer.begin()};
    for (const token_id token : tokenizer.encode(beginnings[i % beginnings.size()]).tokens)
      r.prompt.push_back(token);
    r.params.seed = sluice::derive_seed(42, i);
    r.params.temperature = 0.5f + 0.05f * static_cast<float>(i);
    if (i % 4 == 0) r.params.top_k = 20;
    if (i % 4 == 1) r.params.top_p = 0.9f;
    if (i % 4 == 2) r.params.min_p = 0.05f;
    if (i % 3 == 1) r.params.dry_multiplier = 0.8f;
    if (i % 5 == 3) r.params.repetition_penalty = 1.1f;
    if (i % 7 == 5) r.params.mirostat = 2, r.params.mirostat_tau = 2;
    if (i % 7 == 6) r.params.adaptive_target = 0.5f;
    all.push_back(r);
  }
  return all;
}

/// What a request says without company.
std::vector<token_id> alone(const engine& e, const request& r) {
  const auto model = e.make_model();
  sluice::sampler sampler(r.params);
  sampler.accept_prompt(r.prompt);
  std::span<const float> logits;
  for (const token_id token : r.prompt) logits = model->forward(token);
  std::vector<token_id> said;
  while (said.size() < most_tokens) {
    const sluice::sample_result next = sampler.next(logits);
    if (!next || e.tokenizer->ends(next.token)) break;
    said.push_back(next.token);
    logits = model->forward(next.token);
  }
  return said;
}

/// A running request: its model's memory, its sequence, and the token that the model has not read yet.
struct slot {
  std::size_t number = 0;
  std::unique_ptr<storyteller::model> model;
  std::unique_ptr<sluice::sampler> sampler;
  token_id newest = sluice::no_token;
  std::vector<token_id> said = {};
};

slot begin(const engine& e, const request& r, std::size_t number) {
  slot s{.number = number, .model = e.make_model(), .sampler = std::make_unique<sluice::sampler>(r.params)};
  s.sampler->accept_prompt(r.prompt);
  for (std::size_t i = 0; i + 1 < r.prompt.size(); ++i) s.model->forward(r.prompt[i]);
  s.newest = r.prompt.back();
  return s;
}

/// Takes tokens of one step; false where the text has ended.
bool say(slot& s, const engine& e, std::span<const token_id> tokens) {
  for (const token_id token : tokens) {
    if (e.tokenizer->ends(token)) return false;
    s.said.push_back(token);
    s.newest = token;
    if (s.said.size() == most_tokens) return false;
  }
  return !tokens.empty();
}

struct served {
  std::vector<std::vector<token_id>> texts;
  std::size_t tokens = 0, passes = 0;  // of a model; the rows of all drafts come from one pass
  double seconds = 0;
};

class server {
 public:
  server(const engine& e, std::span<const request> all) : engine_(e), waiting_(all), texts_(all.size()) {}

  served run(std::size_t drafts) {
    const auto start = std::chrono::steady_clock::now();
    served result;
    for (;;) {
      while (running_.size() < slots && next_ < waiting_.size()) {
        running_.push_back(begin(engine_, waiting_[next_], next_));
        ++next_;
      }
      if (running_.empty()) break;
      result.passes += running_.size();
      drafts == 0 ? step() : step_with(drafts);
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    for (const auto& text : texts_) result.tokens += text.size();
    result.texts = texts_;
    result.seconds = time.count();
    return result;
  }

 private:
  /// The model reads a token; its row is kept.
  void read(slot& s, token_id token, std::size_t row) {
    const std::span<const float> logits = s.model->forward(token);
    vocab_ = logits.size();
    if (rows_.size() < (row + 1) * vocab_) rows_.resize((row + 1) * vocab_);
    std::copy(logits.begin(), logits.end(), rows_.begin() + static_cast<std::ptrdiff_t>(row * vocab_));
  }

  /// One token for each.
  void step() {
    for (std::size_t i = 0; i < running_.size(); ++i) read(running_[i], running_[i].newest, i);
    const sluice::logits_rows rows(rows_.data(), running_.size(), vocab_);
    std::vector<sluice::batch_item> items;
    for (std::size_t i = 0; i < running_.size(); ++i)
      items.push_back({.logits = rows[i],
                       .chain = &running_[i].sampler->chain,
                       .sequence = &running_[i].sampler->sequence});
    sluice::sample_batch(items);
    std::vector<bool> goes_on(running_.size());
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const token_id token = items[i].result.token;
      if (items[i].result) running_[i].sampler->accept(token);
      goes_on[i] = items[i].result && say(running_[i], engine_, {&token, 1});
    }
    retire(goes_on);
  }

  /// One token and the drafts that stand, for each.
  void step_with(std::size_t drafts) {
    struct round {
      std::array<token_id, most_drafts> drafts;
      std::array<token_id, most_drafts + 1> out;
      std::size_t count;
    };
    std::vector<round> rounds(running_.size());
    for (std::size_t i = 0; i < running_.size(); ++i) {
      slot& s = running_[i];
      const std::size_t room = s.model->context() - s.sampler->sequence.tokens().size();
      rounds[i].count = sluice::draft_from_history(s.sampler->sequence,
                                                   std::span(rounds[i].drafts).first(std::min(drafts, room)),
                                                   {.min_match = 2, .max_match = 8, .votes = 1});
      read(s, s.newest, i * (most_drafts + 1));
      for (std::size_t d = 0; d < rounds[i].count; ++d)
        read(s, rounds[i].drafts[d], i * (most_drafts + 1) + d + 1);
    }
    std::vector<sluice::logits_view> rows;
    for (std::size_t row = 0; row < running_.size() * (most_drafts + 1); ++row)
      rows.emplace_back(
          std::span<const float>(rows_).subspan(std::min(row * vocab_, rows_.size() - vocab_), vocab_));
    std::vector<sluice::verify_item> items;
    for (std::size_t i = 0; i < running_.size(); ++i)
      items.push_back({.chain = &running_[i].sampler->chain,
                       .sequence = &running_[i].sampler->sequence,
                       .rows = std::span(rows).subspan(i * (most_drafts + 1), rounds[i].count + 1),
                       .drafted = {.tokens = std::span(rounds[i].drafts).first(rounds[i].count)},
                       .out = rounds[i].out});
    sluice::verify_batch(std::span(items));
    std::vector<bool> goes_on(running_.size());
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const sluice::verified& v = items[i].result;
      running_[i].model->rewind(rounds[i].count - v.accepted);  // the drafts that fell
      goes_on[i] = say(running_[i], engine_, std::span(rounds[i].out).first(v.count)) &&
                   v.status == sluice::sample_status::ok;
    }
    retire(goes_on);
  }

  void retire(const std::vector<bool>& goes_on) {
    std::vector<slot> left;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      slot& s = running_[i];
      if (goes_on[i])
        left.push_back(std::move(s));
      else
        texts_[s.number] = std::move(s.said);
    }
    running_ = std::move(left);
  }

  const engine& engine_;
  std::span<const request> waiting_;
  std::size_t next_ = 0, vocab_ = 0;
  std::vector<slot> running_;
  std::vector<float> rows_;
  std::vector<std::vector<token_id>> texts_;
};

std::string text_of(const engine& e, const request& r, std::span<const token_id> said) {
  std::string text;
  token_id previous = r.prompt.front();
  for (const token_id token : std::span(r.prompt).subspan(1)) {
    text += e.tokenizer->decode(previous, token);
    previous = token;
  }
  for (const token_id token : said) {
    text += e.tokenizer->decode(previous, token);
    previous = token;
  }
  return text;
}

int serve(const engine& e) {
  const std::vector<request> all = requests(*e.tokenizer);
  const served plain = server(e, all).run(0), drafted = server(e, all).run(most_drafts);
  std::size_t same = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<token_id> expected = alone(e, all[i]);
    same += plain.texts[i] == expected && drafted.texts[i] == expected;
    std::string line = text_of(e, all[i], plain.texts[i]).substr(0, 80);
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::printf("%2zu  %s...\n", i + 1, line.c_str());
  }
  for (const auto& [name, s] : {std::pair("a token a step", &plain), std::pair("with drafts", &drafted)})
    std::printf("%-15s %zu tokens in %zu passes, %.2f tokens a pass, %.0f tokens a second\n", name, s->tokens,
                s->passes, double(s->tokens) / double(s->passes), double(s->tokens) / s->seconds);
  std::printf("%zu of %zu texts are those of their prompts alone, both ways\n", same, all.size());
  return same == all.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 1 && argc != 3) {
    std::fprintf(stderr, "usage: %s [model.bin tokenizer.bin]\n", argv[0]);
    return 2;
  }
  try {
    return serve(load(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
