#pragma once

// The parameters of a stage: name, range, the member of the stage and the field of sampling_params that hold
// one. A stage lists its own; `check`, `set`, and how a stage is read from sampling_params are made from the
// lists.

#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <sluice/config.hpp>
#include <sluice/params.hpp>
#include <sluice/stage/text.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

enum class bound : std::uint8_t { closed, open };

/// The default is every finite number: an infinity is beyond FLT_MAX.
struct real_range {
  float low = -FLT_MAX, high = FLT_MAX;
  bound low_end = bound::closed, high_end = bound::closed;
};

struct integer_range {
  int low = INT_MIN, high = INT_MAX;
};

namespace detail {

inline constexpr real_range unit_interval = {.low = 0, .high = 1};
inline constexpr real_range above_zero = {.low = 0, .low_end = bound::open};
inline constexpr integer_range from_zero = {.low = 0};
inline constexpr integer_range any_window = {.low = -1};

struct no_range {};

template <class T>
using range_of = std::conditional_t<std::is_same_v<T, float>, real_range,
                                    std::conditional_t<std::is_same_v<T, int>, integer_range, no_range>>;

}  // namespace detail

/// A parameter that a stage of its own type and sampling_params hold alike.
template <class Stage, class T>
struct parameter {
  std::string_view name;
  T Stage::*member;
  T sampling_params::*field;
  detail::range_of<T> range = {};

  constexpr parameter(std::string_view n, T Stage::*m, T sampling_params::*f,
                      detail::range_of<T> r = {}) noexcept
      : name(n), member(m), field(f), range(r) {}
};

/// A field of sampling_params from which the stage's own function `from` makes something else.
template <class T>
struct request_parameter {
  std::string_view name;
  T sampling_params::*field;
  detail::range_of<T> range = {};

  constexpr request_parameter(std::string_view n, T sampling_params::*f, detail::range_of<T> r = {}) noexcept
      : name(n), field(f), range(r) {}
};

namespace detail {
inline namespace SLUICE_ISA {

inline problem check_value(std::string_view name, float value, const real_range& range) {
  const std::int32_t key = order_key(value), low = order_key(range.low), high = order_key(range.high);
  const bool low_open = range.low_end == bound::open, high_open = range.high_end == bound::open;
  if ((low_open ? key > low : key >= low) && (high_open ? key < high : key <= high)) return {};

  sentence s(name);
  if (range.high < FLT_MAX && range.low > -FLT_MAX) {
    s << (low_open ? " must be in (" : " must be in [") << range.low << ", " << range.high
      << (high_open ? ")" : "]");
  } else {
    s << " must be finite";
    if (range.low > -FLT_MAX) s << (low_open ? " and > " : " and >= ") << range.low;
    if (range.high < FLT_MAX) s << (high_open ? " and < " : " and <= ") << range.high;
  }
  return s << ", got " << value;
}

inline problem check_value(std::string_view name, int value, const integer_range& range) {
  const auto [low, high] = range;
  if (value >= low && value <= high) return {};
  sentence s(name);
  s << (value < low ? " must be >= " : " must be <= ") << std::int64_t{value < low ? low : high};
  return s << ", got " << std::int64_t{value};
}

/// `vocab_size` 0: not known.
constexpr bool is_id(token_id id, std::size_t vocab_size) noexcept {
  return id >= 0 && (vocab_size == 0 || static_cast<std::size_t>(id) < vocab_size);
}

inline problem foreign_id(std::string_view name, token_id id, std::size_t vocab_size) {
  sentence s(name);
  if (vocab_size == 0) {
    s << " must hold ids >= 0";
  } else {
    s << " must hold ids in [0, " << static_cast<std::int64_t>(vocab_size) << ")";
  }
  return s << ", got " << std::int64_t{id};
}

/// The lists are any ranges, so that a span of a vector need not be made: that costs a compiler more than the
/// rest.
template <class Ids>
problem check_ids(std::string_view name, const Ids& ids, std::size_t vocab_size = 0) {
  for (const token_id id : ids)
    if (!is_id(id, vocab_size)) return foreign_id(name, id, vocab_size);
  return {};
}

/// Infinite biases ban and force; NaN means nothing.
template <class Biases>
problem check_biases(std::string_view name, const Biases& biases, std::size_t vocab_size = 0) {
  for (const auto& [token, bias] : biases) {
    if (!is_id(token, vocab_size)) return foreign_id(name, token, vocab_size);
    if (is_nan(bias))
      return sentence(name) << " must hold numbers, got nan for token " << std::int64_t{token};
  }
  return {};
}

template <class Breakers>
problem check_breakers(std::string_view name, const Breakers& breakers) {
  for (const auto& breaker : breakers)
    if (breaker.empty()) return sentence(name) << " must hold at least one id each, got none";
  return {};
}

inline problem check_value(std::string_view, bool, const no_range&) { return {}; }

inline problem check_value(std::string_view name, const std::vector<token_id>& ids, const no_range&) {
  return check_ids(name, ids);
}

inline problem check_value(std::string_view name, const std::vector<token_bias>& biases, const no_range&) {
  return check_biases(name, biases);
}

inline problem check_value(std::string_view name, const std::vector<std::vector<token_id>>& breakers,
                           const no_range&) {
  return check_breakers(name, breakers);
}

template <class Stage, class T>
problem check_one(const Stage& stage, const parameter<Stage, T>& p) {
  return check_value(p.name, stage.*p.member, p.range);
}
template <class Stage, class T>
problem check_one(const Stage&, const request_parameter<T>&) {
  return {};
}

/// The first parameter of a stage out of its range, if any.
template <class Stage>
problem check_stage(const Stage& stage) {
  problem found;
  if constexpr (requires { Stage::parameters; })
    std::apply([&](const auto&... each) { (void)((found = check_one(stage, each)) || ...); },
               Stage::parameters);
  if constexpr (requires { stage.check(); })
    if (!found) found = stage.check();
  return found;
}

template <class Stage, class T>
void read_one(Stage& stage, const sampling_params& params, const parameter<Stage, T>& p) {
  stage.*p.member = params.*p.field;
}
template <class Stage, class T>
void read_one(Stage&, const sampling_params&, const request_parameter<T>&) {}

/// Makes a stage the one that sampling_params describe.
template <class Stage>
void read_stage(Stage& stage, const sampling_params& params) {
  if constexpr (requires { Stage::from(params); }) {
    stage = Stage::from(params);
  } else {
    std::apply([&](const auto&... each) { (read_one(stage, params, each), ...); }, Stage::parameters);
  }
}

/// The stage that sampling_params describe.
template <class Stage>
Stage stage_of(const sampling_params& params) {
  Stage stage;
  read_stage(stage, params);
  return stage;
}

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
