// Reads the tables of tests/data. A row that cannot be read is an exception with file and line, never
// skipped.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests {

struct table_row {
  std::string where;               // "filters.tsv:12"
  std::vector<std::string> cells;  // without the first, which says when

  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(where + ": " + why); }
};

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// Words between single or multiple spaces.
inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

struct table {
  std::vector<table_row> now;
  std::vector<table_row> later;  // facts of stages that are not built yet
};

/// `columns` cells a row beside the first, which is `now` or `later`.
inline table read_table(const std::string& name, std::size_t columns) {
  std::ifstream file(std::string(SLUICE_TEST_DATA) + "/" + name);
  if (!file) throw std::runtime_error(name + " cannot be opened");
  table result;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    table_row row{name + ":" + std::to_string(number), split(line, '\t')};
    const std::string when = row.cells.front();
    row.cells.erase(row.cells.begin());
    if (row.cells.size() != columns) row.refuse("has " + std::to_string(row.cells.size()) + " cells");
    if (when == "now")
      result.now.push_back(row);
    else if (when == "later")
      result.later.push_back(row);
    else
      row.refuse("starts with \"" + when + "\"");
  }
  if (result.now.empty()) throw std::runtime_error(name + " has no rows");
  return result;
}

inline double to_number(const table_row& row, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') row.refuse("\"" + text + "\" is not a number");
  return value;
}

/// Numbers between spaces; `a*n` is a, n times.
inline std::vector<double> to_numbers(const table_row& row, const std::string& text) {
  std::vector<double> result;
  for (const std::string& word : words(text)) {
    const std::size_t star = word.find('*');
    const double value = to_number(row, word.substr(0, star));
    const double times = star == std::string::npos ? 1 : to_number(row, word.substr(star + 1));
    result.insert(result.end(), static_cast<std::size_t>(times), value);
  }
  return result;
}

inline std::vector<int> to_tokens(const table_row& row, const std::string& text) {
  std::vector<int> result;
  for (const double value : to_numbers(row, text)) result.push_back(static_cast<int>(value));
  return result;
}

/// `a=1 b=.5`; a word without a value is 1.
inline std::map<std::string, float> to_parameters(const table_row& row, const std::string& text) {
  std::map<std::string, float> result;
  for (const std::string& word : words(text)) {
    const std::size_t equals = word.find('=');
    const double value = equals == std::string::npos ? 1 : to_number(row, word.substr(equals + 1));
    if (!result.emplace(word.substr(0, equals), static_cast<float>(value)).second)
      row.refuse("names " + word + " twice");
  }
  return result;
}

inline bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// `logits: ...` as they stand, or probabilities, whose logits are their logarithms.
inline std::vector<float> to_logits(const table_row& row, const std::string& text) {
  const bool given = starts_with(text, "logits:");
  std::vector<float> result;
  for (const double value : to_numbers(row, given ? text.substr(7) : text))
    result.push_back(static_cast<float>(given ? value : std::log(value)));
  if (result.empty()) row.refuse("has no input");
  return result;
}

}  // namespace tests
