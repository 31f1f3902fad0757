// The rows that are sampled: shapes, and sets of rows that stay in a cache or do not.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../tests/support.hpp"
#include "sizes.hpp"

namespace bench {

/// peaked    N(0, 2.5) and 8 tokens at 14 to 21
/// flat      N(0, 1)
/// wide      N(0, 2.5)
/// constant  one value everywhere
/// masked    peaked, and a mask that allows 64 tokens
/// sorted    wide, in ascending order
/// nucleus   N(0, s), s such that a given number of tokens make 95 % of the mass
enum class form { peaked, flat, wide, constant, masked, sorted, nucleus };

struct shape {
  std::string name;
  form of = form::flat;
  std::size_t nucleus = 0;
};

inline const std::vector<shape>& plain_shapes() {
  static const std::vector<shape> all{{"peaked", form::peaked}, {"flat", form::flat},
                                      {"wide", form::wide},     {"constant", form::constant},
                                      {"masked", form::masked}, {"sorted", form::sorted}};
  return all;
}

inline const std::vector<shape>& nucleus_shapes() {
  static const std::vector<shape> all = [] {
    std::vector<shape> shapes;
    for (const std::size_t tokens : nucleus_sizes)
      shapes.push_back({"nucleus_" + std::to_string(tokens), form::nucleus, tokens});
    return shapes;
  }();
  return all;
}

/// The tokens of the shortest prefix with 95 % of the mass of `ranked` times `scale`.
inline std::size_t nucleus_size(std::span<const float> ranked, double scale) {
  std::vector<double> mass(ranked.size());
  double total = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i)
    total += mass[i] = std::exp(scale * (double(ranked[i]) - double(ranked[0])));
  std::size_t tokens = 0;
  for (double sum = 0; tokens < mass.size() && sum < 0.95 * total; ++tokens) sum += mass[tokens];
  return tokens;
}

inline void fill(std::span<float> row, const shape& s, tests::generator& g) {
  const auto gaussian = [&](double sigma) {
    for (float& logit : row) logit = float(sigma * g.gaussian());
  };
  switch (s.of) {
    case form::peaked:
    case form::masked:
      gaussian(2.5);
      for (int i = 0; i < 8; ++i) row[g.below(row.size())] = float(g.uniform(14, 21));
      break;
    case form::flat:
      gaussian(1);
      break;
    case form::wide:
      gaussian(2.5);
      break;
    case form::constant:
      std::fill(row.begin(), row.end(), 1.0f);
      break;
    case form::sorted:
      gaussian(2.5);
      std::sort(row.begin(), row.end());
      break;
    case form::nucleus: {
      gaussian(1);
      std::vector<float> ranked(row.begin(), row.end());
      std::sort(ranked.begin(), ranked.end(), std::greater<>());
      double low = 0.01, high = 1000;
      for (int i = 0; i < 30; ++i) {
        const double middle = std::sqrt(low * high);
        (nucleus_size(ranked, middle) > s.nucleus ? low : high) = middle;
      }
      // A little past the scale at which the last token leaves: no row lies on the edge itself.
      for (float& logit : row) logit = float(1.01 * high * double(logit));
      break;
    }
  }
}

/// hot: one row, again and again. cold: rows in rotation, more than the last cache holds.
enum class residence { hot, cold };

inline const char* name_of(residence where) { return where == residence::hot ? "hot" : "cold"; }

/// Twice the largest cache, within 64 and 256 MiB.
inline std::size_t cold_bytes() {
  std::size_t largest = 0;
  for (const auto& cache : benchmark::CPUInfo::Get().caches)
    largest = std::max(largest, std::size_t(std::max(0, int(cache.size))));
  return std::clamp<std::size_t>(2 * largest, std::size_t{64} << 20, std::size_t{256} << 20);
}

/// Rows of one shape, each at the start of a cache line.
class row_set {
 public:
  row_set(std::size_t vocab, const shape& s, residence where)
      : vocab_(vocab),
        stride_((vocab + 15) / 16 * 16),
        count_(where == residence::hot ? 1 : cold_bytes() / (stride_ * sizeof(float)) + 1),
        lines_(stride_ / 16 * count_) {
    tests::generator g(vocab * 16 + std::size_t(s.of));
    for (std::size_t i = 0; i < count_; ++i) fill({at(i), vocab_}, s, g);
    if (s.of != form::masked) return;
    mask_.resize((vocab_ + 31) / 32);
    for (int allowed = 0; allowed < 64;) {
      const std::size_t token = g.below(vocab_);
      std::uint32_t& word = mask_[token / 32];
      const std::uint32_t bit = 1u << (token % 32);
      allowed += (word & bit) == 0;
      word |= bit;
    }
  }

  std::size_t vocab() const { return vocab_; }
  std::size_t size() const { return count_; }
  std::span<const float> operator[](std::size_t i) const {
    return {const_cast<row_set*>(this)->at(i), vocab_};
  }
  /// Empty where every token is allowed.
  const std::vector<std::uint32_t>& mask() const { return mask_; }

 private:
  struct alignas(64) line {
    float values[16];
  };
  float* at(std::size_t i) { return lines_[i * (stride_ / 16)].values; }

  std::size_t vocab_, stride_, count_;
  std::vector<line> lines_;
  std::vector<std::uint32_t> mask_;
};

/// The sets of one vocabulary are kept while it is measured.
inline const row_set& rows_of(std::size_t vocab, const shape& s, residence where) {
  static std::size_t kept = 0;
  static std::map<std::pair<std::string, residence>, row_set> sets;
  if (std::exchange(kept, vocab) != vocab) sets.clear();
  const std::pair key{s.name, where};
  const auto found = sets.find(key);
  return found != sets.end() ? found->second : sets.try_emplace(key, vocab, s, where).first->second;
}

}  // namespace bench
