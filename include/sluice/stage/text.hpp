#pragma once

// Numbers and sentences of the parameter texts. No locale anywhere.

#include <bit>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/config.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail {
inline namespace SLUICE_ISA {

/// An integer that orders floats as `<` does, -0 equal to +0, with every NaN beyond the infinities. Holds
/// where the file's flags or the processor's mode do not: -ffast-math, subnormals flushed to zero.
constexpr std::int32_t order_key(float value) noexcept {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits < 0 ? INT32_MIN - bits : bits;
}

constexpr bool is_nan(float value) noexcept {
  return (std::bit_cast<std::uint32_t>(value) & 0x7fffffffu) > 0x7f800000u;
}

/// A problem while its text is being put together. Out of line and cold, part by part: a chain that checks
/// its parameters shall not spend the compiler's time on their texts.
class sentence {
 public:
  [[gnu::cold, gnu::noinline]] explicit sentence(std::string_view field) {
    problem_.field = field;
    problem_.text.append(field.data(), field.size());
  }

  [[gnu::cold, gnu::noinline]] sentence& operator<<(std::string_view part) {
    problem_.text.append(part.data(), part.size());
    return *this;
  }

  [[gnu::cold, gnu::noinline]] sentence& operator<<(std::int64_t value) {
    char digits[24];
    return *this << std::string_view(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }

  /// The shortest text that reads back as the same float.
  [[gnu::cold, gnu::noinline]] sentence& operator<<(float value) {
    if (is_nan(value)) return *this << "nan";
    char digits[24];
    return *this << std::string_view(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }

  /// An enumeration: "a, b, c".
  [[gnu::cold, gnu::noinline]] sentence& operator<<(std::span<const std::string_view> names) {
    std::string_view comma = "";
    for (const std::string_view name : names) {
      *this << comma << name;
      comma = ", ";
    }
    return *this;
  }

  sentence& quote(std::string_view text) { return *this << "\"" << text << "\""; }

  /// Ends the sentence: what was put together moves out.
  [[gnu::cold, gnu::noinline]] operator problem() { return std::move(problem_); }

 private:
  problem problem_ = {};
};

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts the next item off a list, without the blanks around it. Looping over a trimmed text while it is not
/// empty makes one separator at the end harmless and shows any other empty item.
constexpr std::string_view cut_item(std::string_view& rest, char separator) noexcept {
  rest = trim(rest);
  const auto end = rest.find(separator);
  const std::string_view item = trim(rest.substr(0, end));
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return item;
}

/// `text` is the snake_case `name`, or the same with '-' for every '_'.
constexpr bool same_name(std::string_view text, std::string_view name) noexcept {
  if (text == name) return true;
  if (text.size() != name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (text[i] != (name[i] == '_' ? '-' : name[i])) return false;
  return true;
}

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
