#include "piece_tokenizer.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "binary_file.hpp"

namespace storyteller {
namespace {

// The value of a byte token, `<0xNN>`.
std::optional<unsigned char> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  unsigned char value = 0;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, value, 16);
  if (error != std::errc() || end != piece.data() + 5) return std::nullopt;
  return value;
}

// Bytes of the UTF-8 character that text starts with; a stray byte counts as one.
std::size_t character_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && size < 4 && (text[size] & 0xC0) == 0x80) ++size;
  return size;
}

}  // namespace

piece_tokenizer::piece_tokenizer(const std::string& path) : bytes_(256, -1) {
  binary_file file(path);
  const std::int32_t longest = file.read_int32();
  if (longest < 1)
    file.refuse("is no tokenizer: its longest piece has " + std::to_string(longest) + " bytes");
  while (file.left() > 0) {
    const float score = file.read_float();
    const std::int32_t length = file.read_int32();
    const auto token = static_cast<token_id>(pieces_.size());
    if (std::isnan(score) || length < 0 || length > longest) {
      file.refuse("is damaged at piece " + std::to_string(token));
    }
    std::string piece = file.read_bytes(static_cast<std::uint64_t>(length));
    ids_.emplace(piece, token);
    if (const auto byte = byte_of(piece)) {
      bytes_[*byte] = token;
      piece.assign(1, static_cast<char>(*byte));
    }
    pieces_.push_back(std::move(piece));
    scores_.push_back(score);
  }
}

encoding piece_tokenizer::encode(std::string_view text) const {
  if (text.empty()) return {};
  return encode_inside(" " + std::string(text));
}

encoding piece_tokenizer::encode_inside(std::string_view text) const {
  encoding result;
  for (std::size_t at = 0, size = 0; at < text.size(); at += size) {
    size = character_size(text.substr(at));
    spell(text.substr(at, size), result);
  }
  // merges[i] joins tokens i and i + 1; after a merge only its neighbours change.
  std::vector<token_id>& tokens = result.tokens;
  std::vector<merge> merges;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) merges.push_back(merge_of(tokens[i], tokens[i + 1]));
  for (;;) {
    std::size_t best = merges.size();
    for (std::size_t i = 0; i < merges.size(); ++i) {
      if (merges[i].token < 0) continue;
      if (best == merges.size() || merges[i].score > merges[best].score) best = i;
    }
    if (best == merges.size()) return result;
    tokens[best] = merges[best].token;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    merges.erase(merges.begin() + static_cast<std::ptrdiff_t>(best));
    if (best > 0) merges[best - 1] = merge_of(tokens[best - 1], tokens[best]);
    if (best < merges.size()) merges[best] = merge_of(tokens[best], tokens[best + 1]);
  }
}

std::string_view piece_tokenizer::piece(token_id token) const {
  return pieces_[static_cast<std::size_t>(token)];
}

std::string piece_tokenizer::decode(token_id previous, token_id token) const {
  std::string_view text = piece(token);
  if (previous == begin_token && text.starts_with(' ')) text.remove_prefix(1);
  return std::string(text);
}

token_id piece_tokenizer::find(const std::string& piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? -1 : found->second;
}

piece_tokenizer::merge piece_tokenizer::merge_of(token_id left, token_id right) const {
  std::string joined(piece(left));
  const token_id token = find(joined += piece(right));
  return token < 0 ? merge{} : merge{token, scores_[static_cast<std::size_t>(token)]};
}

// One character: its own piece, or else its bytes.
void piece_tokenizer::spell(std::string_view character, encoding& into) const {
  if (const token_id token = find(std::string(character)); token >= 0) {
    into.tokens.push_back(token);
    return;
  }
  std::vector<token_id> spelling;
  for (const char c : character) {
    const token_id token = bytes_[static_cast<unsigned char>(c)];
    if (token < 0) {
      into.unknown.emplace_back(character);
      return;
    }
    spelling.push_back(token);
  }
  into.tokens.insert(into.tokens.end(), spelling.begin(), spelling.end());
}

}  // namespace storyteller
