#include "word_tokenizer.hpp"

#include <cctype>

namespace storyteller {
namespace {

constexpr std::string_view paragraph = "\n\n", opening = " \"", closing = "\"";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Bytes of UTF-8 characters count as letters.
bool is_letter(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x80 || std::isalnum(u) != 0;
}

std::string lower_case(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// Parts a text into words, marks and paragraph ends. Quotation marks come out as opening or closing.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  bool after_space = true;
  while (at < text.size()) {
    const std::size_t from = at;
    if (is_space(text[at])) {
      std::size_t lines = 0;
      for (; at < text.size() && is_space(text[at]); ++at) lines += text[at] == '\n' ? 1u : 0u;
      if (lines > 1) parts.emplace_back(paragraph);
      after_space = true;
      continue;
    }
    if (is_letter(text[at])) {
      // An apostrophe or a hyphen between letters belongs to the word.
      const auto joins = [&](std::size_t i) {
        return (text[i] == '\'' || text[i] == '-') && i + 1 < text.size() && is_letter(text[i + 1]);
      };
      while (at < text.size() && (is_letter(text[at]) || joins(at))) ++at;
      parts.emplace_back(text.substr(from, at - from));
    } else {
      ++at;
      parts.emplace_back(text[from] != '"' ? text.substr(from, 1) : after_space ? opening : closing);
    }
    after_space = false;
  }
  return parts;
}

}  // namespace

word_tokenizer::word_tokenizer(std::span<const std::string_view> texts) {
  const auto add = [this](const std::string& word) {
    if (ids_.emplace(word, static_cast<token_id>(words_.size())).second) words_.push_back(word);
  };
  for (const std::string_view special : {std::string_view("<begin>"), std::string_view("<end>"), paragraph}) {
    add(std::string(special));
  }
  add(std::string(opening));
  add(std::string(closing));
  for (const std::string_view text : texts) {
    for (const std::string& word : split(text)) add(word);
  }
}

encoding word_tokenizer::encode(std::string_view text) const {
  encoding result;
  for (std::string& word : split(text)) {
    if (const token_id token = find_in_any_case(word); token >= 0) {
      result.tokens.push_back(token);
    } else {
      result.unknown.push_back(std::move(word));
    }
  }
  return result;
}

std::string word_tokenizer::decode(token_id previous, token_id token) const {
  if (token == begin_token || token == end_token) return {};
  const std::string word(piece(token));
  const bool starts_line = previous == begin_token || previous == paragraph_token;
  if (token == open_token) return starts_line ? word.substr(1) : word;
  const bool joined = !is_letter(word.front()) || starts_line || previous == open_token;
  return joined ? word : " " + word;
}

token_id word_tokenizer::find(const std::string& word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() ? -1 : found->second;
}

token_id word_tokenizer::find_in_any_case(std::string word) const {
  if (const token_id token = find(word); token >= 0) return token;
  word = lower_case(std::move(word));
  if (const token_id token = find(word); token >= 0) return token;
  word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  return find(word);
}

}  // namespace storyteller
