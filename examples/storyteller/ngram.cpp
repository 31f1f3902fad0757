#include "ngram.hpp"

#include <algorithm>
#include <cmath>

namespace storyteller {
namespace {

// What a context of so many words gives up of each count. The longest have mostly been seen once; if they
// kept more, the model would recite. The others keep it to the grammar.
constexpr double discount[] = {0.1, 0.05, 0.1, 0.4};

}  // namespace

ngram::ngram(const word_tokenizer& vocabulary, std::span<const std::string_view> texts)
    : vocabulary_(vocabulary), probabilities_(vocabulary.size()), logits_(vocabulary.size()) {
  for (const std::string_view text : texts) {
    place at;
    read(at, vocabulary.begin());
    for (const token_id token : vocabulary.encode(text).tokens) {
      count(at, token);
      read(at, token);
    }
    count(at, vocabulary.end());
    shortest_ = std::min(shortest_, at.length);
  }
}

std::span<const float> ngram::forward(token_id token) {
  before_.push_back(place_);
  read(place_, token);
  const words& recent = place_.recent;
  probabilities_.assign(probabilities_.size(), 1.0 / static_cast<double>(probabilities_.size() - 1));
  for (std::size_t length = 0; length <= recent.size(); ++length) {
    const words context(recent.end() - static_cast<std::ptrdiff_t>(length), recent.end());
    const auto found = contexts_[place_.spoken].find(context);
    if (found == contexts_[place_.spoken].end()) break;
    const successors& seen = found->second;
    const double rest = discount[length] * static_cast<double>(seen.counts.size()) / seen.total;
    for (double& p : probabilities_) p *= rest;
    for (const auto& [next, times] : seen.counts) {
      probabilities_[static_cast<std::size_t>(next)] += (times - discount[length]) / seen.total;
    }
  }
  for (std::size_t i = 0; i < logits_.size(); ++i)
    logits_[i] = static_cast<float>(std::log(probabilities_[i]));
  constexpr float never = -std::numeric_limits<float>::infinity();
  logits_[static_cast<std::size_t>(vocabulary_.begin())] = never;
  if (place_.length < shortest_) logits_[static_cast<std::size_t>(vocabulary_.end())] = never;
  return logits_;
}

void ngram::rewind(std::size_t tokens) {
  if (tokens == 0) return;
  place_ = before_.at(before_.size() - tokens);
  before_.resize(before_.size() - tokens);
}

void ngram::read(place& at, token_id token) const {
  ++at.length;
  at.recent.push_back(token);
  if (at.recent.size() > longest_context) at.recent.erase(at.recent.begin());
  if (token == vocabulary_.open_quote()) at.spoken = 1;
  if (token == vocabulary_.close_quote()) at.spoken = 0;
}

// Counts `next` after the recent words, after all but the first of them, and so on down to no context. A text
// ends after what one has ended with, not after any full stop: shorter contexts do not count that.
void ngram::count(const place& at, token_id next) {
  const std::size_t shortest = next == vocabulary_.end() ? 2 : 0;
  for (words context = at.recent; context.size() >= shortest; context.erase(context.begin())) {
    successors& seen = contexts_[at.spoken][context];
    ++seen.total;
    ++seen.counts[next];
    if (context.empty()) return;
  }
}

}  // namespace storyteller
