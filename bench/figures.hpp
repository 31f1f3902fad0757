// The figures of the table in reads of the row, beside what they must reach.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "measured.hpp"
#include "sizes.hpp"

namespace bench {

/// 0: none.
struct goal {
  double peaked = 0, flat = 0, wide = 0;
  double of(const std::string& shape) const {
    return shape == "peaked" ? peaked : shape == "flat" ? flat : shape == "wide" ? wide : 0;
  }
};

/// total: the whole call. added: what it costs beyond the usual chain.
enum class counts { total, added };

struct line {
  std::string work, stage;
  goal avx512 = {}, avx2 = {};
  counts as = counts::total;
  bool masked = false;  // measured on the masked row, shown as peaked
};

/// Reads of a row of 128,256 logits that stays in the L2 cache.
inline const std::vector<line>& lines() {
  static const std::vector<line> all{
      {"greedy", "greedy", {1.35, 1.35}, {1.5, 1.5}},
      {"temperature .8, draw", "temperature", {2, 2.5, 3.2}, {2.3, 2.8}},
      {"min-p .05, T", "min_p", {1.5, 3}, {2, 3.5}},
      {"top-n-sigma 1, T", "top_n_sigma", {2.3, 2.4}, {2.7, 2.7}},
      {"top-k 40, T", "top_k", {1.8, 1.8}, {2, 2}},
      {"usual: top-k 40, top-p .95, min-p .05, T", "usual", {1.8, 1.8}, {2.2, 2.2}},
      {"usual + XTC", "usual_xtc", {2.4, 2.4}, {3, 3}},
      {"usual + scatter, k 64", "usual_scatter", {2.4, 2.4}, {3, 3}},
      {"top-p .95", "top_p", {2.3, 4.5, 5}, {3, 6}},
      {"p-less", "p_less", {6, 7}, {8, 9}},
      {"typical-p .95", "typical_p", {7, 10}, {9, 12}},
      {"usual, mask with 64 allowed", "usual", {.3}, {.3}, counts::total, true},
      {"+ repetition, frequency, presence over 1,024 tokens",
       "usual_penalties",
       {.5, .5},
       {.5, .5},
       counts::added},
      {"+ the same, tokens scattered over all blocks",
       "usual_penalties_scattered",
       {1.2, 1.2},
       {1.2, 1.2},
       counts::added},
      {"+ DRY over 32,768 tokens, natural", "usual_dry_natural", {.3, .3}, {.3, .3}, counts::added},
      {"+ DRY over 32,768 tokens, periodic", "usual_dry_periodic", {.3, .3}, {.3, .3}, counts::added},
  };
  return all;
}

struct figure {
  std::string shape, rows;  // rows: hot or cold
  double microseconds = unknown, reads = unknown, goal = 0;

  bool known() const { return !std::isnan(reads); }
  bool missed() const { return known() && goal > 0 && reads > goal; }
};

struct figure_line {
  line what;
  bench::goal goal;
  std::vector<figure> figures;  // peaked, flat, wide; hot, then cold

  const figure& at(const std::string& shape, const std::string& rows) const {
    for (const figure& f : figures)
      if (f.shape == shape && f.rows == rows) return f;
    static const figure none;
    return none;
  }
};

inline std::vector<figure_line> figure_lines(const measured& run) {
  std::vector<figure_line> all;
  const std::string tier = run.context("tier");
  for (const line& what : lines()) {
    figure_line row{what, tier == "avx512" ? what.avx512 : tier == "avx2" ? what.avx2 : goal{}, {}};
    for (const char* rows : {"hot", "cold"}) {
      for (const char* shape : {"peaked", "flat", "wide"}) {
        if (what.masked && shape != std::string("peaked")) continue;
        const std::string place = std::string(what.masked ? "masked" : shape) + '/' + rows;
        double time = run.time(what.stage, "automatic", place).median;
        if (what.as == counts::added) time -= run.time("usual", "automatic", place).median;
        row.figures.push_back({shape, rows, time, time / run.read(place).median, row.goal.of(shape)});
      }
    }
    all.push_back(std::move(row));
  }
  return all;
}

/// One row whose nucleus has so many tokens, in reads.
struct nucleus_line {
  std::string stage;
  double tokens = 0, sort = unknown, select = unknown, rejection = unknown, automatic = unknown;
};

inline std::vector<nucleus_line> nucleus_lines(const measured& run, const std::string& stage) {
  std::vector<nucleus_line> all;
  for (const std::size_t tokens : nucleus_sizes) {
    const std::string rows = "nucleus_" + std::to_string(tokens) + "/hot";
    const nucleus_line found{stage,
                             double(tokens),
                             run.ratio(stage, "sort", rows),
                             run.ratio(stage, "select", rows),
                             run.ratio(stage, "rejection", rows),
                             run.ratio(stage, "automatic", rows)};
    if (!std::isnan(found.automatic)) all.push_back(found);
  }
  return all;
}

}  // namespace bench
