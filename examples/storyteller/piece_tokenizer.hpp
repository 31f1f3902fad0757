// The tokenizer of llama2.c: pieces of words with scores, and bytes for what has no piece.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tokenizer.hpp"

namespace storyteller {

class piece_tokenizer final : public tokenizer {
 public:
  // Throws file_error where the file is damaged.
  explicit piece_tokenizer(const std::string& path);

  std::size_t size() const noexcept override { return pieces_.size(); }
  token_id begin() const noexcept override { return begin_token; }
  // A model may close a story by beginning the next one.
  bool ends(token_id token) const noexcept override { return token == begin_token || token == end_token; }

  // A text starts with a space that decode takes away again.
  encoding encode(std::string_view text) const override;
  encoding encode_inside(std::string_view text) const override;
  std::string_view piece(token_id token) const override;
  std::string decode(token_id previous, token_id token) const override;

 private:
  static constexpr token_id begin_token = 1, end_token = 2;

  struct merge {
    token_id token = -1;
    float score = 0;
  };
  token_id find(const std::string& piece) const;
  merge merge_of(token_id left, token_id right) const;
  void spell(std::string_view character, encoding& into) const;

  std::vector<std::string> pieces_;  // bytes as themselves
  std::vector<float> scores_;
  std::unordered_map<std::string, token_id> ids_;
  std::vector<token_id> bytes_;  // by value; -1 where there is no such token
};

}  // namespace storyteller
