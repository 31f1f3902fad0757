// The picture of the table: a bar for each work, and the engines by the size of the nucleus.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "picture.hpp"
#include "words.hpp"

namespace bench {

namespace chart {

inline constexpr const char *ink = "#222222", *faint = "#d9dde2", *grey = "#667080", *late = "#b3261e",
                            *peaked = "#1f5f99", *flat = "#8ab6de";

/// Bars in reads, a tick at each goal. Longer bars are cut at the border and keep their number.
inline double bars(picture& out, double top, const std::vector<figure_line>& all) {
  constexpr double left = 360, right = 830, step = 34, thick = 12;
  double longest = 4;
  for (const figure_line& row : all) longest = std::max({longest, row.goal.peaked, row.goal.flat});
  longest = std::ceil(longest * 1.1);
  const auto at = [=](double reads) {
    return left + std::clamp(reads, 0.0, longest) * (right - left) / longest;
  };
  const double bottom = top + step * double(all.size());
  for (double reads = 0; reads <= longest; ++reads) {
    out.stroke({at(reads), top - 4}, {at(reads), bottom}, reads == 1 ? grey : faint);
    out.text({at(reads), bottom + 15}, in_short(reads).substr(0, in_short(reads).find('.')),
             {.at = anchor::middle, .size = 11, .color = grey});
  }
  out.text({right, bottom + 31}, "reads of the row", {.at = anchor::end, .size = 11, .color = grey});
  double y = top;
  for (const figure_line& row : all) {
    out.text({left - 8, y + 18}, row.what.work, {.at = anchor::end, .color = ink});
    int which = 0;
    for (const char* shape : {"peaked", "flat"}) {
      const figure& f = row.at(shape, "hot");
      if (!f.known()) continue;
      const double bar = y + 3 + thick * which;
      out.box({left, bar}, at(f.reads) - left, thick - 1, which == 0 ? peaked : flat);
      if (f.reads > longest) out.stroke({right - 14, bar + thick}, {right - 8, bar - 1}, "#ffffff", 3);
      if (f.goal > 0) out.stroke({at(f.goal), bar - 1}, {at(f.goal), bar + thick}, ink, 2);
      const std::string sign = row.what.as == counts::added && f.reads >= 0 ? "+" : "";
      out.text({std::max(at(f.reads), f.goal > 0 ? at(f.goal) : 0) + 5, bar + thick - 2},
               sign + in_short(f.reads), {.size = 11, .color = f.missed() ? late : ink, .bold = f.missed()});
      ++which;
    }
    y += step;
  }
  return bottom + 36;
}

/// Reads over tokens in the nucleus, both logarithmic.
inline void engines(picture& out, point corner, double width, double height, const std::string& title,
                    const std::vector<nucleus_line>& all) {
  if (all.empty()) return;
  const double left = corner.x + 44, right = corner.x + width - 84, top = corner.y + 28,
               bottom = corner.y + height - 40;
  out.text({left, corner.y + 12}, title, {.bold = true});
  double most = 10;
  for (const nucleus_line& row : all)
    for (const double reads : {row.sort, row.select, row.rejection})
      if (reads > most) most = reads;
  const double decades = std::ceil(std::log10(most)), widest = std::log10(all.back().tokens);
  const auto place = [&](double tokens, double reads) {
    return point{left + (widest > 0 ? std::log10(tokens) / widest : 0) * (right - left),
                 bottom - std::log10(std::max(reads, 1.0)) / decades * (bottom - top)};
  };
  for (int decade = 0; decade <= int(decades); ++decade) {
    const double y = place(1, std::pow(10, decade)).y;
    out.stroke({left, y}, {right, y}, faint);
    out.text({left - 6, y + 4}, grouped(std::pow(10, decade)),
             {.at = anchor::end, .size = 11, .color = grey});
  }
  for (const nucleus_line& row : all)
    out.text({place(row.tokens, 1).x, bottom + 15}, grouped(row.tokens),
             {.at = anchor::middle, .size = 11, .color = grey});
  out.text({right, bottom + 31}, "tokens in the nucleus", {.at = anchor::end, .size = 11, .color = grey});

  struct series {
    const char *name, *color;
    double nucleus_line::*reads;
  };
  for (const series& s :
       {series{"sort", "#8a8f98", &nucleus_line::sort}, series{"select", "#c2761b", &nucleus_line::select},
        series{"rejection", peaked, &nucleus_line::rejection}}) {
    std::vector<point> points;
    for (const nucleus_line& row : all)
      if (!std::isnan(row.*s.reads)) points.push_back(place(row.tokens, row.*s.reads));
    if (points.empty()) continue;
    out.path(points, s.color, 2);
    for (const point& p : points) out.dot(p, 3, s.color);
    out.text({points.back().x + 8, points.back().y + 4}, s.name, {.color = s.color, .bold = true});
  }
  std::vector<point> chosen;
  for (const nucleus_line& row : all) chosen.push_back(place(row.tokens, row.automatic));
  out.path(chosen, ink, 1.5, "2 4");
}

}  // namespace chart

inline void draw(const std::string& path, const measured& run, const std::vector<figure_line>& all) {
  constexpr double width = 900, engines_height = 300;
  picture out(width, 108 + 34 * double(all.size()) + 36 + engines_height);
  out.text({20, 30}, "A token in reads of its row", {.size = 18, .bold = true});
  out.text({20, 50},
           run.context("machine") + ", " + run.context("tier") + ", V = " + grouped(std::stod(run.vocab())) +
               ", one row that stays in the cache",
           {.color = chart::grey});
  out.box({20, 62}, 12, 12, chart::peaked);
  out.text({36, 72}, "peaked row");
  out.box({120, 62}, 12, 12, chart::flat);
  out.text({136, 72}, "flat row");
  out.stroke({210, 61}, {210, 75}, chart::ink, 2);
  out.text({217, 72}, "goal");
  const double under = chart::bars(out, 92, all) + 16;
  chart::engines(out, {20, under}, 440, engines_height - 20, "top-p .95, T 1: reads (dotted: automatic)",
                 nucleus_lines(run, "top_p"));
  chart::engines(out, {460, under}, 440, engines_height - 20, "top-p .95, T 2",
                 nucleus_lines(run, "top_p_t2"));
  out.save(path);
}

}  // namespace bench
