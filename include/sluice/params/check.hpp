#pragma once

// The ranges: of all of sampling_params, and of one field for a stage that was made by hand.

#include <cfloat>
#include <cstddef>
#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/params.hpp>
#include <sluice/params/fields.hpp>
#include <sluice/params/order.hpp>
#include <sluice/params/text.hpp>

namespace sluice::inline v1 {
namespace detail {

inline namespace SLUICE_ISA {

/// A field by its name; a name that the table does not hold does not compile.
struct field_ref {
  const field& entry;
  consteval field_ref(const char* name) : entry(*find_field(name)) {}
  constexpr explicit field_ref(const field& f) : entry(f) {}
};

inline problem check_field(field_ref f, float value) {
  const real_range& range = f.entry.reals;
  const std::int32_t key = order_key(value), low = order_key(range.low), high = order_key(range.high);
  const bool low_open = range.low_end == bound::open, high_open = range.high_end == bound::open;
  if ((low_open ? key > low : key >= low) && (high_open ? key < high : key <= high)) return {};

  sentence s(f.entry.name);
  if (range.high < FLT_MAX) {
    s << (low_open ? " must be in (" : " must be in [") << range.low << ", " << range.high
      << (high_open ? ")" : "]");
  } else {
    s << " must be finite";
    if (range.low > -FLT_MAX) s << (low_open ? " and > " : " and >= ") << range.low;
  }
  return s << ", got " << value;
}

inline problem check_field(field_ref f, int value) {
  const auto [low, high] = f.entry.integers;
  if (value >= low && value <= high) return {};
  sentence s(f.entry.name);
  s << (value < low ? " must be >= " : " must be <= ") << std::int64_t{value < low ? low : high};
  return s << ", got " << std::int64_t{value};
}

/// `vocab_size` 0: not known.
constexpr bool is_id(token_id id, std::size_t vocab_size) noexcept {
  return id >= 0 && (vocab_size == 0 || static_cast<std::size_t>(id) < vocab_size);
}

inline problem foreign_id(field_ref f, token_id id, std::size_t vocab_size) {
  sentence s(f.entry.name);
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
problem check_ids(field_ref f, const Ids& ids, std::size_t vocab_size = 0) {
  for (const token_id id : ids)
    if (!is_id(id, vocab_size)) return foreign_id(f, id, vocab_size);
  return {};
}

/// Infinite biases ban and force; NaN means nothing.
template <class Biases>
problem check_biases(field_ref f, const Biases& biases, std::size_t vocab_size = 0) {
  for (const auto& [token, bias] : biases) {
    if (!is_id(token, vocab_size)) return foreign_id(f, token, vocab_size);
    if (is_nan(bias))
      return sentence(f.entry.name) << " must hold numbers, got nan for token " << std::int64_t{token};
  }
  return {};
}

template <class Breakers>
problem check_breakers(field_ref f, const Breakers& breakers) {
  for (const auto& breaker : breakers)
    if (breaker.empty()) return sentence(f.entry.name) << " must hold at least one id each, got none";
  return {};
}

inline problem check_scatter_bounds(float strength_min, float strength_max) {
  if (order_key(strength_min) <= order_key(strength_max)) return {};
  return sentence("scatter_strength_min")
         << " must be <= scatter_strength_max (" << strength_max << "), got " << strength_min;
}

inline problem check_choice(const field& f, std::uint8_t index) {
  if (index < f.choices.names.size()) return {};
  return sentence(f.name) << " must be one of " << f.choices.names << ", got " << std::int64_t{index};
}

inline problem check_member(const field& f, const sampling_params& params, std::size_t vocab_size) {
  const field_ref ref(f);
  if (f.real) return check_field(ref, params.*f.real);
  if (f.integer) return check_field(ref, params.*f.integer);
  if (f.tokens) return check_ids(ref, params.*f.tokens, vocab_size);
  if (f.biases) return check_biases(ref, params.*f.biases, vocab_size);
  if (f.breakers) return check_breakers(ref, params.*f.breakers);
  if (f.choices.get) return check_choice(f, f.choices.get(params));
  if (f.order) return order_problem(params.*f.order, parse_order(params.*f.order));
  return {};
}

/// Joint filters judge one row, so no other stage may change it between them.
inline bool joint_filters_adjoin(const order_steps& order) noexcept {
  int next = -1;
  for (const order_step step : {order_step::top_k, order_step::top_p, order_step::min_p}) {
    if (!order.names(step)) continue;
    if (next >= 0 && order.position(step) != next) return false;
    next = order.position(step) + 1;
  }
  return true;
}

inline bool scatter_acts(const sampling_params& p) noexcept {
  return (p.scatter_strength > 0 || p.scatter_adaptive || p.scatter_absorption > 0) && p.scatter_k > 1 &&
         p.scatter_radius > 0 && p.scatter_steps > 0 && p.scatter_collision > 0;
}

/// What fields ask of each other.
inline problem check_together(const sampling_params& params) {
  if (problem p = check_scatter_bounds(params.scatter_strength_min, params.scatter_strength_max)) return p;

  const order_steps order = parse_order(params.order);
  if (order.names(order_step::adaptive_p))
    return sentence("order") << " names adaptive_p, a stage that is not built yet";
  if (params.truncation == truncation_rule::joint && !joint_filters_adjoin(order))
    return (sentence("order")
            << " must name top_k, top_p, min_p side by side and in this order under joint truncation, got ")
        .quote(params.order);

  const auto runs = [&order](order_step step) { return order.empty() || order.names(step); };
  if (params.xtc_marginal && runs(order_step::xtc)) {
    if (scatter_acts(params) && runs(order_step::scatter))
      return sentence("xtc_marginal") << " must be false together with scatter, got true";
    if (params.dynatemp_range > 0 && runs(order_step::temperature))
      return sentence("xtc_marginal") << " must be false together with dynatemp_range > 0, got true";
  }
  return {};
}

inline problem check_params(const sampling_params& params, std::size_t vocab_size) {
  if (vocab_size > longest_row)
    return sentence("vocab_size") << " must be <= " << std::int64_t{longest_row} << ", got "
                                  << static_cast<std::int64_t>(vocab_size);
  for (const field& f : fields)
    if (problem p = check_member(f, params, vocab_size)) return p;
  return check_together(params);
}

}  // namespace SLUICE_ISA
}  // namespace detail

SLUICE_ALWAYS_INLINE problem check(const sampling_params& params, std::size_t vocab_size) {
  return detail::check_params(params, vocab_size);
}

}  // namespace sluice::inline v1
