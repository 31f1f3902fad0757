// The built-in model: what followed the last few words in the stories it has read.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "model.hpp"
#include "word_tokenizer.hpp"

namespace storyteller {

// An n-gram model with interpolated back-off by absolute discounting: each context keeps `count - discount`
// of every successor it has seen and leaves the rest to the context that is one word shorter, down to a
// uniform chance. A logit is the logarithm of that, finite for every token that may follow: all but the one
// that begins a text and, before the length of the shortest story, the one that ends it. What is spoken and
// what is told are counted apart, so that quotation marks close.
class ngram final : public model {
 public:
  ngram(const word_tokenizer& vocabulary, std::span<const std::string_view> texts);

  std::size_t vocab_size() const noexcept override { return logits_.size(); }
  std::size_t context() const noexcept override { return std::numeric_limits<std::size_t>::max(); }
  std::span<const float> forward(token_id token) override;
  void rewind(std::size_t tokens) override;

 private:
  static constexpr std::size_t longest_context = 3;

  struct successors {
    double total = 0;
    std::map<token_id, double> counts = {};
  };
  using words = std::vector<token_id>;
  // Where a text stands: its last words, oldest first, how many it has in all, whether somebody is speaking.
  struct place {
    words recent = {};
    std::size_t length = 0;
    std::size_t spoken = 0;
  };

  void read(place& at, token_id token) const;
  void count(const place& at, token_id next);

  const word_tokenizer& vocabulary_;
  std::map<words, successors> contexts_[2];  // of what is told, of what is spoken
  place place_;
  std::vector<place> before_;  // each token that was read
  std::size_t shortest_ = std::numeric_limits<std::size_t>::max();
  std::vector<double> probabilities_;
  std::vector<float> logits_;
};

}  // namespace storyteller
