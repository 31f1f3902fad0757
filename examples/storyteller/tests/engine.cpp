#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "binary_file.hpp"
#include "corpus.hpp"
#include "ngram.hpp"
#include "piece_tokenizer.hpp"
#include "support.hpp"
#include "transformer.hpp"
#include "word_tokenizer.hpp"

namespace {

using namespace storyteller;
using storyteller_tests::bytes;
using storyteller_tests::scratch;

std::string decode(const tokenizer& vocabulary, const std::vector<token_id>& tokens) {
  std::string text;
  token_id previous = vocabulary.begin();
  for (const token_id token : tokens) {
    text += vocabulary.decode(previous, token);
    previous = token;
  }
  return text;
}

// A story as it is printed: without the line breaks inside its paragraphs.
std::string unwrapped(std::string_view story) {
  std::string text(story);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    if (text[i + 1] == '\n') {
      ++i;
    } else {
      text[i] = ' ';
    }
  }
  return text;
}

// Pieces: 3 "a", 4 "b", 5 " ", 6 "ab", 7 " a", 8 "abb", 9 and 10 the bytes of "é", 11 the byte of "c".
std::string small_tokenizer() {
  bytes file;
  file.number(std::int32_t{6});
  file.piece(0, "<unk>").piece(0, "<s>").piece(0, "</s>");
  file.piece(0, "a").piece(0, "b").piece(0, " ");
  file.piece(-2, "ab").piece(-1, " a").piece(-1.5f, "abb");
  file.piece(0, "<0xC3>").piece(0, "<0xA9>").piece(0, "<0x63>");
  return file.all();
}

// One layer, one head of two numbers, zero weights: the state stays the embedding.
bytes small_model(std::int32_t vocab_size) {
  bytes file;
  for (const std::int32_t size : {2, 1, 1, 1, 1, vocab_size, 4}) file.number(size);
  file.numbers({3, 4, -4, 3});                     // embeddings
  file.numbers({1, 1});                            // attention norm
  for (int i = 0; i < 16; ++i) file.number(0.0f);  // wq, wk, wv, wo
  file.numbers({1, 1});                            // feed-forward norm
  for (int i = 0; i < 6; ++i) file.number(0.0f);   // w1, w2, w3
  file.numbers({1, 1});                            // final norm
  for (int i = 0; i < 8; ++i) file.number(0.0f);   // rotations
  return file;
}

TEST_SUITE("engine") {
  TEST_CASE("every story reads back as it was written") {
    const word_tokenizer vocabulary(stories());
    for (const std::string_view story : stories()) {
      const encoding words = vocabulary.encode(story);
      CHECK(words.unknown.empty());
      CHECK(decode(vocabulary, words.tokens) == unwrapped(story));
    }
  }

  TEST_CASE("a prompt's words are found in another case, and unknown ones are named") {
    const std::string_view texts[] = {"Mia saw the fox."};
    const word_tokenizer vocabulary(texts);
    const encoding words = vocabulary.encode("mia SAW a zebra");
    CHECK(decode(vocabulary, words.tokens) == "Mia saw");
    CHECK(words.unknown == std::vector<std::string>{"a", "zebra"});
  }

  TEST_CASE("a quotation mark opens after a blank and closes after anything else") {
    const std::string_view texts[] = {"He said, \"Come.\" She came."};
    const word_tokenizer vocabulary(texts);
    CHECK(decode(vocabulary, vocabulary.encode(texts[0]).tokens) == texts[0]);
    CHECK(sequences_of(vocabulary, "\"") ==
          std::vector<std::vector<token_id>>{{vocabulary.open_quote()}, {vocabulary.close_quote()}});
  }

  TEST_CASE("the built-in model gives every token that may follow a share, and the shares add up") {
    const word_tokenizer vocabulary(stories());
    ngram model(vocabulary, stories());
    std::span<const float> logits = model.forward(vocabulary.begin());
    for (int story = 0; story < 2; ++story) {
      for (const token_id token : vocabulary.encode(stories()[0]).tokens) logits = model.forward(token);
    }
    double sum = 0;
    for (token_id token = 0; token < static_cast<token_id>(logits.size()); ++token) {
      const float logit = logits[static_cast<std::size_t>(token)];
      CHECK(std::isfinite(logit) == (token != vocabulary.begin()));
      sum += std::exp(double{logit});
    }
    CHECK(sum == doctest::Approx(1).epsilon(1e-5));
  }

  TEST_CASE("the built-in model backs off from three words to none") {
    const std::string_view texts[] = {"a b c d", "x b c e"};
    const word_tokenizer vocabulary(texts);
    ngram model(vocabulary, texts);
    std::span<const float> logits = model.forward(vocabulary.begin());
    for (const token_id token : vocabulary.encode("a b c").tokens) logits = model.forward(token);
    const auto chance = [&](const char* word) {
      return std::exp(double{logits[static_cast<std::size_t>(vocabulary.encode(word).tokens.front())]});
    };
    // Worked out by hand. None: 8 words, 6 kinds. One and two words: d and e once each. Three: d once.
    const double uniform = 1.0 / 10, none = (1 - 0.1) / 8 + 0.1 * 6 / 8 * uniform;
    const double one = (1 - 0.05) / 2 + 0.05 * 2 / 2 * none;
    const double two = (1 - 0.1) / 2 + 0.1 * 2 / 2 * one;
    CHECK(chance("e") == doctest::Approx(0.4 * two));
    CHECK(chance("d") == doctest::Approx(0.6 + 0.4 * two));
    CHECK(chance("a") == doctest::Approx(0.4 * 0.1 * 0.05 * none));
  }

  TEST_CASE("the pair of best score is merged first") {
    const scratch files;
    const piece_tokenizer pieces(files.write("t", small_tokenizer()));
    CHECK(pieces.size() == 12);
    CHECK(pieces.encode("ab").tokens == std::vector<token_id>{7, 4});  // " a" scores above "ab"
    CHECK(pieces.encode_inside("abb").tokens == std::vector<token_id>{8});
    CHECK(pieces.encode("").tokens.empty());
  }

  TEST_CASE("what has no piece is spelled in bytes, and what has no bytes is named") {
    const scratch files;
    const piece_tokenizer pieces(files.write("t", small_tokenizer()));
    const encoding text = pieces.encode_inside("ac\xC3\xA9z");
    CHECK(text.tokens == std::vector<token_id>{3, 11, 9, 10});
    CHECK(text.unknown == std::vector<std::string>{"z"});
    CHECK(decode(pieces, text.tokens) == "ac\xC3\xA9");
  }

  TEST_CASE("a piece loses its leading space at the beginning of a text only") {
    const scratch files;
    const piece_tokenizer pieces(files.write("t", small_tokenizer()));
    CHECK(pieces.decode(pieces.begin(), 7) == "a");
    CHECK(pieces.decode(4, 7) == " a");
  }

  TEST_CASE("a tokenizer file that is cut short or damaged is refused") {
    const scratch files;
    const std::string whole = small_tokenizer();
    // A file may end after any piece; there are twelve such places, and none before the first four bytes.
    std::size_t read = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      try {
        const piece_tokenizer pieces(files.write("t", whole.substr(0, size)));
        ++read;
      } catch (const file_error&) {
      }
    }
    CHECK(read == 12);
    bytes giant;
    giant.number(std::numeric_limits<std::int32_t>::max()).number(0.0f).number(std::int32_t{2'000'000'000});
    CHECK_THROWS_AS(piece_tokenizer(files.write("t", giant.all())), file_error);
    bytes negative;
    negative.number(std::int32_t{6}).number(0.0f).number(std::int32_t{-1});
    CHECK_THROWS_AS(piece_tokenizer(files.write("t", negative.all())), file_error);
  }

  TEST_CASE("a model without weights repeats what it has just read") {
    const scratch files;
    transformer model(files.write("m", small_model(2).all()));
    CHECK(model.vocab_size() == 2);
    CHECK(model.context() == 4);
    // (3, 4) has a root mean square of 5 / √2; its product with itself is 25.
    std::span<const float> logits = model.forward(0);
    CHECK(logits[0] == doctest::Approx(25 * std::sqrt(2.0) / 5));
    CHECK(logits[1] == doctest::Approx(0));
    logits = model.forward(1);
    CHECK(logits[0] == doctest::Approx(0));
    CHECK(logits[1] == doctest::Approx(25 * std::sqrt(2.0) / 5));
  }

  TEST_CASE("a negative vocabulary size says that a classifier follows") {
    const scratch files;
    bytes file = small_model(-2);
    CHECK_THROWS_AS(transformer(files.write("m", file.all())), file_error);
    file.numbers({1, 0, 0, -1});
    transformer model(files.write("m", file.all()));
    const std::span<const float> logits = model.forward(0);
    CHECK(logits[0] == doctest::Approx(3 * std::sqrt(2.0) / 5));
    CHECK(logits[1] == doctest::Approx(-4 * std::sqrt(2.0) / 5));
  }

  TEST_CASE("a model file of another length than its header asks for is refused") {
    const scratch files;
    const std::string whole = small_model(2).all();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CHECK_THROWS_AS(transformer(files.write("m", whole.substr(0, size))), file_error);
    }
    CHECK_THROWS_AS(transformer(files.write("m", whole + "x")), file_error);
  }

  TEST_CASE("a header of nonsense is refused before anything is allocated") {
    const scratch files;
    for (std::size_t field = 0; field < 7; ++field) {
      for (const std::int32_t value : {0, 3, 1 << 20, std::numeric_limits<std::int32_t>::max(),
                                       std::numeric_limits<std::int32_t>::min()}) {
        std::string file = small_model(2).all();
        file.replace(field * sizeof value, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
        CHECK_THROWS_AS(transformer(files.write("m", file)), file_error);
      }
    }
  }
}

}  // namespace
