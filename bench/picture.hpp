// A picture in SVG: lines, boxes and words.
#pragma once

#include <cstdio>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bench {

struct point {
  double x = 0, y = 0;
};

enum class anchor { start, middle, end };

struct text_style {
  anchor at = anchor::start;
  double size = 12;
  std::string_view color = "#222";
  bool bold = false;
};

class picture {
 public:
  picture(double width, double height) : width_(width), height_(height) {
    box({0, 0}, width, height, "#ffffff");
  }

  void box(point corner, double width, double height, std::string_view color) {
    put("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'/>\n", corner.x, corner.y, width, height,
        std::string(color).c_str());
  }

  void stroke(point from, point to, std::string_view color, double width = 1) {
    put("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='%.1f'/>\n", from.x, from.y,
        to.x, to.y, std::string(color).c_str(), width);
  }

  void path(std::span<const point> points, std::string_view color, double width,
            std::string_view dashes = "") {
    body_ += "<polyline fill='none' points='";
    for (const point& p : points) put("%.1f,%.1f ", p.x, p.y);
    put("' stroke='%s' stroke-width='%.1f' stroke-dasharray='%s'/>\n", std::string(color).c_str(), width,
        std::string(dashes).c_str());
  }

  void dot(point center, double radius, std::string_view color) {
    put("<circle cx='%.1f' cy='%.1f' r='%.1f' fill='%s'/>\n", center.x, center.y, radius,
        std::string(color).c_str());
  }

  void text(point base, std::string_view words, const text_style& style = {}) {
    constexpr const char* anchors[] = {"start", "middle", "end"};
    put("<text x='%.1f' y='%.1f' font-size='%.0f' fill='%s' text-anchor='%s' font-weight='%s'>", base.x,
        base.y, style.size, std::string(style.color).c_str(), anchors[int(style.at)],
        style.bold ? "bold" : "normal");
    for (const char c : words) {
      if (c == '<') {
        body_ += "&lt;";
      } else if (c == '&') {
        body_ += "&amp;";
      } else {
        body_ += c;
      }
    }
    body_ += "</text>\n";
  }

  void save(const std::string& path) const {
    char head[256];
    std::snprintf(
        head, sizeof head,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' "
        "font-family='DejaVu Sans, Verdana, sans-serif'>\n",
        width_, height_, width_, height_);
    std::ofstream file(path);
    file << head << body_ << "</svg>\n";
    if (!file.flush()) throw std::runtime_error(path + " cannot be written");
  }

 private:
  template <class... Values>
  void put(const char* format, Values... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    body_ += line;
  }

  double width_, height_;
  std::string body_;
};

}  // namespace bench
