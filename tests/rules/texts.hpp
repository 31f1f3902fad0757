// Texts that repeat themselves in all the ways that searches for repetitions may stumble over.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "support.hpp"

namespace tests::texts {

using tokens = std::vector<int>;

inline tokens operator+(tokens a, const tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline tokens repeated(const tokens& what, std::size_t size) {
  tokens result;
  for (std::size_t i = 0; i < size; ++i) result.push_back(what[i % what.size()]);
  return result;
}

inline tokens random_word(tests::generator& g, int letters, int longest) {
  tokens word;
  for (int i = g.between(1, longest); i > 0; --i) word.push_back(g.between(0, letters - 1));
  return word;
}

inline tokens random_letters(tests::generator& g, std::size_t size, int letters) {
  tokens result;
  while (result.size() < size) result.push_back(g.between(0, letters - 1));
  return result;
}

inline tokens almost_periodic(tests::generator& g, std::size_t size, int letters) {
  tokens result = repeated(random_word(g, letters, 8), size);
  for (int& token : result)
    if (g.chance(0.03)) token = g.between(0, letters - 1);
  return result;
}

inline tokens runs(tests::generator& g, std::size_t size, int letters) {
  tokens result;
  while (result.size() < size) {
    const int letter = g.between(0, letters - 1);
    result.insert(result.end(), 1 + g.below(12), letter);
  }
  return result;
}

inline tokens fibonacci_word(std::size_t size) {
  tokens shorter{0}, longer{0, 1};
  while (longer.size() < size) {
    tokens next = longer + shorter;
    shorter = std::move(longer);
    longer = std::move(next);
  }
  return longer;
}

/// Pieces of itself between new letters.
inline tokens quotations(tests::generator& g, std::size_t size, int letters) {
  tokens result = random_letters(g, 3, letters);
  while (result.size() < size) {
    if (g.chance(0.3)) {
      const std::size_t begin = g.below(result.size());
      const std::size_t end = begin + 1 + g.below(result.size() - begin);
      result = result + tokens(result.begin() + std::ptrdiff_t(begin), result.begin() + std::ptrdiff_t(end));
    } else {
      result.push_back(g.between(0, letters - 1));
    }
  }
  return result;
}

/// Repetitions of repetitions, with a slip here and there.
inline tokens nested_periods(tests::generator& g, int depth, int letters) {
  if (depth == 0) return random_word(g, letters, 4);
  tokens result;
  for (int part = g.between(1, 3); part > 0; --part) {
    const tokens inner = nested_periods(g, depth - 1, letters);
    for (int i = g.chance(0.5) ? 1 : g.between(1, 12); i > 0 && result.size() < 1500; --i)
      result = result + inner;
    if (g.chance(0.3)) result.push_back(g.between(0, letters));
    if (g.chance(0.2)) result[g.below(result.size())] = g.between(0, letters);
  }
  return result;
}

/// A few long runs of words, again and again, with a letter between some.
inline tokens run_quotations(tests::generator& g, std::size_t size, int letters) {
  std::vector<tokens> pieces;
  for (int i = g.between(1, 3); i > 0; --i) {
    const tokens word = random_word(g, letters, 6);
    pieces.push_back(repeated(word, word.size() * (1 + g.below(20)) + g.below(word.size())));
  }
  tokens result;
  while (result.size() < size) {
    result = result + pieces[g.below(pieces.size())];
    if (g.chance(0.2)) result.push_back(g.between(0, letters));
  }
  return result;
}

inline tokens random_text(tests::generator& g, std::size_t size, int letters) {
  tokens result;
  switch (g.below(6)) {
    case 0:
      result = random_letters(g, size, letters);
      break;
    case 1:
      result = almost_periodic(g, size, letters);
      break;
    case 2:
      result = runs(g, size, letters);
      break;
    case 3:
      result = fibonacci_word(size);
      break;
    case 4:
      result = quotations(g, size, letters);
      break;
    default:
      result = nested_periods(g, g.between(1, 3), letters);
  }
  if (result.size() > size) result.resize(size);
  return result;
}

}  // namespace tests::texts
