#pragma once

// The order of the stages as text: names separated by ';', or letters.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/chain/stages.hpp>
#include <sluice/stage/text.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail {

/// A name that an order may hold, and the stages that it stands for: bit i is the stage at place i of the
/// list.
struct order_name {
  stage_name name = {};
  std::uint32_t stages = 0;
};
static_assert(stage_count <= 32);

struct order_names_table {
  std::array<order_name, stage_count> names = {};
  std::size_t count = 0;

  constexpr const order_name* begin() const noexcept { return names.data(); }
  constexpr const order_name* end() const noexcept { return names.data() + count; }
};

enum class order_fault : std::uint8_t { none, unknown_name, unknown_letter, empty_name, repeated };

inline namespace SLUICE_ISA {

/// In the order of the list; a name that several stages share stands once.
constexpr order_names_table make_order_names() noexcept {
  order_names_table table;
  const auto add = [&table](const stage_name& name, std::uint32_t stages) {
    for (std::size_t i = 0; i < table.count; ++i)
      if (table.names[i].name.text == name.text) return void(table.names[i].stages |= stages);
    table.names[table.count++] = {name, stages};
  };
  for_each_stage([&](auto stage, std::size_t at) {
    using type = typename decltype(stage)::type;
    if constexpr (requires { type::name; }) add(type::name, std::uint32_t{1} << at);
  });
  return table;
}

inline constexpr order_names_table order_names = make_order_names();

/// The names that a text holds, each at most once, by their places in `order_names`. No name and no fault: no
/// order was given, which means the fixed one.
struct stage_order {
  std::array<std::uint8_t, order_names.names.size()> places = {};
  std::size_t count = 0;
  order_fault fault = order_fault::none;
  std::string_view culprit = {};  ///< the part of the text at fault

  constexpr const std::uint8_t* begin() const noexcept { return places.data(); }
  constexpr const std::uint8_t* end() const noexcept { return places.data() + count; }
  constexpr bool empty() const noexcept { return count == 0; }

  /// Where a name of that text stands; `count` where it does not.
  constexpr std::size_t position(std::string_view name) const noexcept {
    std::size_t i = 0;
    while (i < count && order_names.names[places[i]].name.text != name) ++i;
    return i;
  }
  constexpr bool names(std::string_view name) const noexcept { return position(name) < count; }
  /// Whether the stage runs where its parameters are set: every one does in the fixed order.
  template <class Stage>
  constexpr bool runs() const noexcept {
    return empty() || names(Stage::name.text);
  }

  constexpr void add(std::size_t place, std::string_view text) noexcept {
    for (const std::uint8_t there : *this)
      if (there == place) return fail(order_fault::repeated, text);
    places[count++] = std::uint8_t(place);
  }
  constexpr void fail(order_fault what, std::string_view text) noexcept {
    fault = what;
    culprit = text;
  }
};

constexpr bool same_without_separators(std::string_view text, std::string_view name) noexcept {
  std::size_t i = 0;
  for (const char c : name)
    if (c != '_' && (i == text.size() || text[i++] != c)) return false;
  return i == text.size();
}

/// The place of a name in `order_names`, its count where it is not there. Every name is also read with '-'
/// for '_', and without either.
constexpr std::size_t order_place_named(std::string_view text) noexcept {
  for (std::size_t i = 0; i < order_names.count; ++i) {
    const stage_name& n = order_names.names[i].name;
    for (const std::string_view name : {n.text, n.alias, n.second_alias})
      if (!name.empty() && (same_name(text, name) || same_without_separators(text, name))) return i;
  }
  return order_names.count;
}

constexpr std::size_t order_place_lettered(char letter) noexcept {
  std::size_t i = 0;
  while (i < order_names.count && (letter == 0 || order_names.names[i].name.letter != letter)) ++i;
  return i;
}

[[gnu::cold]] constexpr stage_order parse_order_names(std::string_view text) noexcept {
  stage_order order;
  for (text = trim(text); !text.empty() && order.fault == order_fault::none;) {
    const std::string_view name = cut_item(text, ';');
    if (name.empty()) {
      order.fail(order_fault::empty_name, name);
    } else if (const std::size_t place = order_place_named(name); place < order_names.count) {
      order.add(place, name);
    } else {
      order.fail(order_fault::unknown_name, name);
    }
  }
  return order;
}

[[gnu::cold]] constexpr stage_order parse_order_letters(std::string_view text) noexcept {
  stage_order order;
  for (text = trim(text); !text.empty() && order.fault == order_fault::none;) {
    // A letter of UTF-8 is shown whole.
    std::size_t bytes = 1;
    while (bytes < text.size() && (text[bytes] & 0xC0) == 0x80) ++bytes;
    const std::string_view letter = text.substr(0, bytes);
    if (const std::size_t place = order_place_lettered(letter[0]); place < order_names.count) {
      order.add(place, letter);
    } else {
      order.fail(order_fault::unknown_letter, letter);
    }
    text.remove_prefix(bytes);
  }
  return order;
}

/// A text with a ';', or that is one known name, is read as names; any other as letters.
[[gnu::cold]] constexpr stage_order parse_order(std::string_view text) noexcept {
  const bool names =
      text.find(';') != std::string_view::npos || order_place_named(trim(text)) < order_names.count;
  return names ? parse_order_names(text) : parse_order_letters(text);
}

/// What the text of an order got wrong; whether the stages go together is left to `check`.
[[gnu::cold]] inline problem order_problem(std::string_view text, const stage_order& order) {
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
    s << comma << known.name.text;
    if (known.name.letter != 0) s << " (" << std::string_view(&known.name.letter, 1) << ")";
    comma = ", ";
  }
  return s;
}

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
