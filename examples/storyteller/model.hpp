// What the storyteller asks of a language model. Nothing here knows how a token is chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace storyteller {

using token_id = std::int32_t;

// A model reads a text token by token and says after each what it thinks of every possible next one.
class model {
 public:
  virtual ~model() = default;

  virtual std::size_t vocab_size() const noexcept = 0;
  // The most tokens that forward takes.
  virtual std::size_t context() const noexcept = 0;
  // Reads one token in [0, vocab_size). The logits of the token after it live until the next call.
  virtual std::span<const float> forward(token_id token) = 0;
  // Forgets the newest tokens, of those that it has read.
  virtual void rewind(std::size_t tokens) = 0;

 protected:
  model() = default;
  model(const model&) = default;
  model& operator=(const model&) = default;
};

}  // namespace storyteller
