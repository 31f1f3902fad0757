#pragma once

// Parameters as text: `set`, for options and requests. Orders as text: chain/order.hpp.

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sluice/chain/fields.hpp>
#include <sluice/chain/order.hpp>
#include <sluice/params.hpp>
#include <sluice/stage/text.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail {

/// What other systems call a field: llama.cpp, transformers, KoboldCpp. Names whose values mean something
/// else there are left out.
struct field_alias {
  std::string_view alias, field;
};

inline constexpr field_alias field_aliases[] = {
    {"temp", "temperature"},
    {"dynatemp_exp", "dynatemp_exponent"},
    {"typ_p", "typical_p"},
    {"typical", "typical_p"},
    {"n_sigma", "top_n_sigma"},
    {"nsigma", "top_n_sigma"},
    {"top_nsigma", "top_n_sigma"},
    {"min_tokens_to_keep", "min_keep"},
    {"repeat_penalty", "repetition_penalty"},
    {"penalty_repeat", "repetition_penalty"},
    {"rep_pen", "repetition_penalty"},
    {"penalty_freq", "frequency_penalty"},
    {"penalty_present", "presence_penalty"},
    {"repeat_last_n", "penalty_last_n"},
    {"dry_sequence_breaker", "dry_sequence_breakers"},
    {"suppress_tokens", "suppressed_tokens"},
    {"samplers", "order"},
    {"mirostat_ent", "mirostat_tau"},
    {"mirostat_lr", "mirostat_eta"},
    {"min_new_tokens", "min_tokens"},
};

/// These give an order too, but always by letters.
inline constexpr std::string_view letter_aliases[] = {"sampler_seq", "sampling_seq"};

inline namespace SLUICE_ISA {

/// The field that `name` means, or null.
constexpr const field* field_named(std::string_view name) noexcept {
  for (const field& f : fields)
    if (same_name(name, f.name)) return &f;
  for (const auto& [alias, meant] : field_aliases)
    if (same_name(name, alias)) return find_field(meant);
  return nullptr;
}

[[gnu::cold]] inline problem misfit(std::string_view name, std::string_view expected,
                                    std::string_view value) {
  return (sentence(name) << " must be " << expected << ", got ").quote(value);
}

template <class Number>
struct parsed_number {
  Number value = 0;
  std::errc error = {};
};

/// The whole text is one number; a leading '+' is allowed.
template <class Number>
parsed_number<Number> parse_number(std::string_view text) noexcept {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  parsed_number<Number> number;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number.value);
  number.error = rest == end ? error : std::errc::invalid_argument;
  return number;
}

/// `kind` is what the field holds; `size` is added where the text is a number, but too large for it.
template <class Number>
problem set_number(Number& target, std::string_view name, std::string_view value, std::string_view kind,
                   std::string_view size) {
  const auto [number, error] = parse_number<Number>(value);
  if (error == std::errc{}) {
    target = number;
    return {};
  }
  const bool too_large = error == std::errc::result_out_of_range;
  return (sentence(name) << " must be " << kind << (too_large ? size : "") << ", got ").quote(value);
}

constexpr bool is_among(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

inline problem set_flag(bool& target, std::string_view name, std::string_view value) {
  const bool yes = is_among(value, {"true", "1", "on", "yes"});
  if (!yes && !is_among(value, {"false", "0", "off", "no"})) return misfit(name, "true or false", value);
  target = yes;
  return {};
}

inline problem set_seed(std::optional<std::uint64_t>& target, std::string_view name, std::string_view value) {
  if (is_among(value, {"random", "-1"})) {
    target.reset();
    return {};
  }
  std::uint64_t seed = 0;
  problem p = set_number(seed, name, value, "an integer in [0, 2^64) or random", "");
  if (!p) target = seed;
  return p;
}

inline problem set_choice(sampling_params& params, const field& f, std::string_view value) {
  std::uint8_t index = 0;
  for (const std::string_view name : f.choices.names) {
    if (value == name) {
      f.choices.put(params, index);
      return {};
    }
    ++index;
  }
  return (sentence(f.name) << " must be one of " << f.choices.names << ", got ").quote(value);
}

/// The items of a list, put where they belong once all of them are right.
template <class Item, class Parse>
bool parse_list(std::vector<Item>& target, std::string_view text, char separator, Parse parse) {
  std::vector<Item> items;
  for (text = trim(text); !text.empty();) {
    Item item = {};
    if (!parse(cut_item(text, separator), item)) return false;
    items.push_back(std::move(item));
  }
  target = std::move(items);
  return true;
}

inline bool parse_token(std::string_view text, token_id& token) noexcept {
  const auto [number, error] = parse_number<token_id>(text);
  token = number;
  return error == std::errc{};
}

/// `15043:1.5`, or llama.cpp's `15043+1.5` and `15043-1.5`.
inline bool parse_bias(std::string_view text, token_bias& bias) noexcept {
  const auto cut = text.find_first_of(":+-", 1);
  if (cut == std::string_view::npos || !parse_token(trim(text.substr(0, cut)), bias.token)) return false;
  const std::string_view rest = trim(text.substr(text[cut] == ':' ? cut + 1 : cut));
  const auto [number, error] = parse_number<float>(rest);
  bias.bias = number;
  return error == std::errc{};
}

inline bool parse_breaker(std::string_view text, std::vector<token_id>& breaker) {
  return !text.empty() && parse_list(breaker, text, ' ', parse_token);
}

inline problem set_list(sampling_params& params, const field& f, std::string_view text) {
  const std::string_view value = trim(text) == "none" ? std::string_view{} : text;
  if (f.tokens) {
    if (parse_list(params.*f.tokens, value, ',', parse_token)) return {};
    return misfit(f.name, "token ids separated by ','", value);
  }
  if (f.biases) {
    if (parse_list(params.*f.biases, value, ',', parse_bias)) return {};
    return misfit(f.name, "token:bias pairs separated by ','", value);
  }
  if (parse_list(params.*f.breakers, value, ';', parse_breaker)) return {};
  return misfit(f.name, "token ids separated by ' ', breakers by ';', or none", value);
}

inline problem set_order(std::string& target, std::string_view value) {
  problem p = order_problem(value, parse_order(value));
  if (!p) target.assign(value.data(), value.size());
  return p;
}

/// Stored as names, since letters may spell one: "temp".
inline problem set_order_letters(std::string& target, std::string_view value) {
  const stage_order order = parse_order_letters(value);
  if (problem p = order_problem(value, order)) return p;
  target.clear();
  for (const std::uint8_t place : order) {
    if (!target.empty()) target += ';';
    target += order_names.names[place].name.text;
  }
  return {};
}

inline problem set_param(sampling_params& params, std::string_view name, std::string_view value) {
  for (const std::string_view alias : letter_aliases)
    if (same_name(name, alias)) return set_order_letters(params.order, value);

  const field* f = field_named(name);
  if (!f) return misfit("name", "a parameter of sampling_params or a known alias", name);
  if (f->real) return set_number(params.*f->real, f->name, value, "a number", " that a float can hold");
  if (f->integer) return set_number(params.*f->integer, f->name, value, "an integer", " of 32 bits");
  if (f->flag) return set_flag(params.*f->flag, f->name, value);
  if (f->seed) return set_seed(params.*f->seed, f->name, value);
  if (f->order) return set_order(params.*f->order, value);
  if (f->choices.get) return set_choice(params, *f, value);
  return set_list(params, *f, value);
}

}  // namespace SLUICE_ISA
}  // namespace detail

SLUICE_ALWAYS_INLINE problem set(sampling_params& params, std::string_view name, std::string_view value) {
  return detail::set_param(params, name, value);
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
