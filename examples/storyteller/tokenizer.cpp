#include "tokenizer.hpp"

namespace storyteller {

std::vector<std::vector<token_id>> sequences_of(const tokenizer& vocabulary, std::string_view text) {
  std::vector<std::vector<token_id>> sequences;
  if (text.empty()) return sequences;
  const auto size = static_cast<token_id>(vocabulary.size());
  for (token_id token = 0; token < size; ++token) {
    if (vocabulary.piece(token).find(text) != std::string_view::npos) sequences.push_back({token});
  }
  encoding spelling = vocabulary.encode_inside(text);
  if (spelling.unknown.empty() && spelling.tokens.size() > 1) sequences.push_back(std::move(spelling.tokens));
  return sequences;
}

}  // namespace storyteller
