// Text to tokens and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model.hpp"

namespace storyteller {

struct encoding {
  std::vector<token_id> tokens = {};
  std::vector<std::string> unknown = {};  // what no token stands for, left out of `tokens`
};

class tokenizer {
 public:
  virtual ~tokenizer() = default;

  virtual std::size_t size() const noexcept = 0;
  virtual token_id begin() const noexcept = 0;
  virtual bool ends(token_id token) const noexcept = 0;

  // A whole text, without the token that begins it.
  virtual encoding encode(std::string_view text) const = 0;
  // A few characters as they stand inside a text.
  virtual encoding encode_inside(std::string_view text) const = 0;
  // The text of a token by itself.
  virtual std::string_view piece(token_id token) const = 0;
  // What a token adds to a text that ends in `previous`.
  virtual std::string decode(token_id previous, token_id token) const = 0;

 protected:
  tokenizer() = default;
  tokenizer(const tokenizer&) = default;
  tokenizer& operator=(const tokenizer&) = default;
};

// The token sequences that stand for `text` wherever a model writes it: every token that contains it and,
// where it takes more than one token, its spelling.
std::vector<std::vector<token_id>> sequences_of(const tokenizer& vocabulary, std::string_view text);

}  // namespace storyteller
