#pragma once

// The order of the stages as text: names separated by ';', or letters.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/config.hpp>
#include <sluice/params/text.hpp>

namespace sluice::inline v1 {
namespace detail {

/// What an order can name, as the fixed order has them. `penalties` is repetition, then frequency and
/// presence.
enum class order_step : std::uint8_t {
  penalties,
  dry,
  top_n_sigma,
  p_less,
  typical_p,
  top_k,
  top_p,
  min_p,
  xtc,
  scatter,
  temperature,
  adaptive_p
};

struct order_name {
  std::string_view name;
  char letter = 0;  ///< 0: none
  std::string_view alias = {}, second_alias = {};
};

/// By step. Every name is also read with '-' for '_', and without either.
inline constexpr std::array<order_name, 12> order_names = {{{"penalties", 'e'},
                                                            {"dry", 'd'},
                                                            {"top_n_sigma", 's'},
                                                            {"p_less"},
                                                            {"typ_p", 'y', "typical_p", "typical"},
                                                            {"top_k", 'k'},
                                                            {"top_p", 'p', "nucleus"},
                                                            {"min_p", 'm'},
                                                            {"xtc", 'x'},
                                                            {"scatter", 'r'},
                                                            {"temperature", 't', "temp"},
                                                            {"adaptive_p", 'a'}}};

enum class order_fault : std::uint8_t { none, unknown_name, unknown_letter, empty_name, repeated };

/// The stages that an order names, each at most once. No stage and no fault: no order was given, which means
/// the fixed one.
struct order_steps {
  std::array<order_step, order_names.size()> steps = {};
  int count = 0;
  order_fault fault = order_fault::none;
  std::string_view culprit = {};  ///< the part of the text at fault

  constexpr const order_step* begin() const noexcept { return steps.data(); }
  constexpr const order_step* end() const noexcept { return steps.data() + count; }
  constexpr bool empty() const noexcept { return count == 0; }
  constexpr bool names(order_step step) const noexcept { return position(step) < count; }

  /// Where `step` stands; `count` where it does not.
  constexpr int position(order_step step) const noexcept {
    int i = 0;
    while (i < count && steps[static_cast<std::size_t>(i)] != step) ++i;
    return i;
  }

  constexpr void add(order_step step, std::string_view text) noexcept {
    if (names(step)) return fail(order_fault::repeated, text);
    steps[static_cast<std::size_t>(count++)] = step;
  }

  constexpr void fail(order_fault what, std::string_view text) noexcept {
    fault = what;
    culprit = text;
  }
};

inline namespace SLUICE_ISA {

constexpr bool same_without_separators(std::string_view text, std::string_view name) noexcept {
  std::size_t i = 0;
  for (const char c : name)
    if (c != '_' && (i == text.size() || text[i++] != c)) return false;
  return i == text.size();
}

constexpr std::optional<order_step> order_step_named(std::string_view text) noexcept {
  for (std::size_t i = 0; i < order_names.size(); ++i)
    for (const std::string_view name :
         {order_names[i].name, order_names[i].alias, order_names[i].second_alias})
      if (!name.empty() && (same_name(text, name) || same_without_separators(text, name)))
        return static_cast<order_step>(i);
  return std::nullopt;
}

constexpr std::optional<order_step> order_step_lettered(char letter) noexcept {
  for (std::size_t i = 0; i < order_names.size(); ++i)
    if (letter != 0 && order_names[i].letter == letter) return static_cast<order_step>(i);
  return std::nullopt;
}

constexpr order_steps parse_order_names(std::string_view text) noexcept {
  order_steps order;
  for (text = trim(text); !text.empty() && order.fault == order_fault::none;) {
    const std::string_view name = cut_item(text, ';');
    if (name.empty()) {
      order.fail(order_fault::empty_name, name);
    } else if (const auto step = order_step_named(name)) {
      order.add(*step, name);
    } else {
      order.fail(order_fault::unknown_name, name);
    }
  }
  return order;
}

constexpr order_steps parse_order_letters(std::string_view text) noexcept {
  order_steps order;
  for (text = trim(text); !text.empty() && order.fault == order_fault::none;) {
    // A letter of UTF-8 is shown whole.
    std::size_t bytes = 1;
    while (bytes < text.size() && (text[bytes] & 0xC0) == 0x80) ++bytes;
    const std::string_view letter = text.substr(0, bytes);
    if (const auto step = order_step_lettered(letter[0])) {
      order.add(*step, letter);
    } else {
      order.fail(order_fault::unknown_letter, letter);
    }
    text.remove_prefix(bytes);
  }
  return order;
}

/// A text with a ';', or that is one known name, is read as names; any other as letters.
constexpr order_steps parse_order(std::string_view text) noexcept {
  const bool names = text.find(';') != std::string_view::npos || order_step_named(trim(text));
  return names ? parse_order_names(text) : parse_order_letters(text);
}

/// What the text of an order got wrong; whether the stages go together is left to `check`.
[[gnu::cold]] inline problem order_problem(std::string_view text, const order_steps& order) {
  if (order.fault == order_fault::none) return {};
  sentence s("order");
  s << " ";
  s.quote(text);
  switch (order.fault) {
    case order_fault::none:
      break;
    case order_fault::unknown_name:
      s << " has the unknown name ";
      break;
    case order_fault::unknown_letter:
      s << " has the unknown letter ";
      break;
    case order_fault::empty_name:
      s << " has the empty name ";
      break;
    case order_fault::repeated:
      s << " repeats ";
      break;
  }
  s.quote(order.culprit) << "; known: ";
  std::string_view comma = "";
  for (const order_name& known : order_names) {
    s << comma << known.name;
    if (known.letter != 0) s << " (" << std::string_view(&known.letter, 1) << ")";
    comma = ", ";
  }
  return s;
}

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1
