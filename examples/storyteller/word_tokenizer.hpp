// Words and punctuation marks as tokens: the vocabulary of a text.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tokenizer.hpp"

namespace storyteller {

// Knows the words of the texts it is made from, as they are written there. In a prompt a word in another case
// will do. A paragraph's end is a token; so are an opening and a closing quotation mark, which look the same.
class word_tokenizer final : public tokenizer {
 public:
  explicit word_tokenizer(std::span<const std::string_view> texts);

  std::size_t size() const noexcept override { return words_.size(); }
  token_id begin() const noexcept override { return begin_token; }
  token_id end() const noexcept { return end_token; }
  token_id open_quote() const noexcept { return open_token; }
  token_id close_quote() const noexcept { return close_token; }
  bool ends(token_id token) const noexcept override { return token == end_token; }

  encoding encode(std::string_view text) const override;
  encoding encode_inside(std::string_view text) const override { return encode(text); }
  std::string_view piece(token_id token) const override { return words_[static_cast<std::size_t>(token)]; }
  std::string decode(token_id previous, token_id token) const override;

 private:
  static constexpr token_id begin_token = 0, end_token = 1, paragraph_token = 2, open_token = 3,
                            close_token = 4;

  token_id find(const std::string& word) const;
  token_id find_in_any_case(std::string word) const;

  std::vector<std::string> words_;
  std::map<std::string, token_id> ids_;
};

}  // namespace storyteller
