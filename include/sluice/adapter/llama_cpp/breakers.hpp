#pragma once

// DRY's sequence breakers are text in llama.cpp and token ids in sampling_params. Needs no llama.h of its
// own: the functions of the vocabulary are found by their arguments.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::llama {
namespace detail {
inline namespace SLUICE_ISA {

inline constexpr std::size_t longest_breaker = 40, longest_breaker_tail = 20;  // characters, tokens

/// Calls f(n) for every n such that the text's first n characters end the word, n less than both.
template <class F>
void for_overlaps(std::string_view word, std::string_view text, F&& f) {
  for (std::size_t n = 1; n <= word.size() && n < text.size(); ++n)
    if (word.ends_with(text.substr(0, n))) f(n);
}

/// What llama.cpp's C functions write into a buffer whose size they tell as a negative number.
template <class Container, class Write>
Container written(std::size_t guess, Write&& write) {
  Container out(guess, {});
  std::int32_t size = write(out.data(), std::int32_t(out.size()));
  if (size < 0) {
    out.resize(std::size_t(-size));
    size = write(out.data(), std::int32_t(out.size()));
  }
  out.resize(std::size_t(std::max(size, 0)));
  return out;
}

}  // namespace SLUICE_ISA
}  // namespace detail

/// The breakers that llama.cpp makes of texts: each token that holds a text, and each token that ends with
/// the beginning of one, followed by the tokens of the rest. `piece(id)` is the text of a token, special ones
/// included, `tokenize(text)` the ids of a text. As there, a text counts to 40 characters and a rest to 20
/// tokens. Costs a look at every piece for every text: once a vocabulary.
template <class Piece, class Tokenize>
std::vector<std::vector<token_id>> dry_breakers(std::span<const std::string> texts, std::size_t vocab_size,
                                                Piece&& piece, Tokenize&& tokenize) {
  std::vector<std::vector<token_id>> breakers;
  for (std::size_t id = 0; id < vocab_size; ++id) {
    const std::string word = piece(token_id(id));
    for (const std::string& whole : texts) {
      const std::string_view text = std::string_view(whole).substr(0, detail::longest_breaker);
      if (text.empty()) continue;
      if (word.find(text) != std::string::npos) {
        breakers.push_back({token_id(id)});
        continue;
      }
      detail::for_overlaps(word, text, [&](std::size_t begun) {
        std::vector<token_id> breaker{token_id(id)};
        for (const token_id next : tokenize(std::string(text.substr(begun)))) {
          if (breaker.size() > detail::longest_breaker_tail) break;
          breaker.push_back(next);
        }
        breakers.push_back(std::move(breaker));
      });
    }
  }
  std::sort(breakers.begin(), breakers.end());
  breakers.erase(std::unique(breakers.begin(), breakers.end()), breakers.end());
  return breakers;
}

/// The same of a vocabulary: a `const llama_vocab*`, or the `const llama_model*` of an older llama.h. The
/// texts of llama.cpp's programs are "\n", ":", "\"" and "*".
template <class Vocab>
std::vector<std::vector<token_id>> dry_breakers(const Vocab* vocab, std::span<const std::string> texts) {
  std::size_t size = 0;
  if constexpr (requires { llama_vocab_n_tokens(vocab); }) {
    size = std::size_t(llama_vocab_n_tokens(vocab));
  } else {
    size = std::size_t(llama_n_vocab(vocab));
  }
  const auto piece = [vocab](token_id id) {
    return detail::written<std::string>(64, [&](char* out, std::int32_t room) {
      return llama_detokenize(vocab, &id, 1, out, room, false, true);
    });
  };
  const auto tokenize = [vocab](const std::string& text) {
    return detail::written<std::vector<token_id>>(text.size() + 2, [&](token_id* out, std::int32_t room) {
      return llama_tokenize(vocab, text.data(), std::int32_t(text.size()), out, room, false, false);
    });
  };
  return dry_breakers(texts, size, piece, tokenize);
}

}  // namespace sluice::inline v1::llama

#include <sluice/macros_back.inc>
