// Figures and tables as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

/// 1.23, 12.3, 123.
inline std::string in_short(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
  return text;
}

/// 128,256.
inline std::string grouped(double count) {
  const std::string digits = std::to_string(static_cast<long>(count));
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

using cells = std::vector<std::string>;

/// Characters, of text in UTF-8.
inline std::size_t width_of(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// In Markdown, the first row as its head, columns aligned.
inline void print(const std::vector<cells>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  for (const cells& row : rows) {
    std::string text = "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      text.append(" ").append(i == 0 ? row[i] : space).append(i == 0 ? space : row[i]).append(" |");
    }
    std::puts(text.c_str());
    if (&row != &rows[0]) continue;
    text = "|";
    for (std::size_t i = 0; i < widths.size(); ++i)
      text.append(widths[i] + (i == 0 ? 2 : 1), '-').append(i == 0 ? "|" : ":|");
    std::puts(text.c_str());
  }
  std::puts("");
}

}  // namespace bench
