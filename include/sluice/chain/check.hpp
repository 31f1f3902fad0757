#pragma once

// `check`: the ranges of all of sampling_params, and what its fields ask of each other.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/chain/fields.hpp>
#include <sluice/chain/order.hpp>
#include <sluice/params.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail {

inline namespace SLUICE_ISA {

inline problem check_choice(const field& f, std::uint8_t index) {
  if (index < f.choices.names.size()) return {};
  return sentence(f.name) << " must be one of " << f.choices.names << ", got " << std::int64_t{index};
}

SLUICE_COLD problem check_member(const field& f, const sampling_params& params, std::size_t vocab_size) {
  if (f.real) return check_value(f.name, params.*f.real, f.reals);
  if (f.integer) return check_value(f.name, params.*f.integer, f.integers);
  if (f.tokens) return check_ids(f.name, params.*f.tokens, vocab_size);
  if (f.biases) return check_biases(f.name, params.*f.biases, vocab_size);
  if (f.breakers) return check_breakers(f.name, params.*f.breakers);
  if (f.choices.get) return check_choice(f, f.choices.get(params));
  if (f.order) return order_problem(params.*f.order, parse_order(params.*f.order));
  return {};
}

/// Joint filters judge one row, so no other stage may change it between them. The message names them.
inline problem check_joint_filters(const sampling_params& params, const stage_order& order) {
  std::size_t next = 0;
  bool adjoin = true;
  sentence s("order");
  s << " must name ";
  std::string_view comma = "";
  for_each_stage([&](auto stage, std::size_t) {
    using type = typename decltype(stage)::type;
    if constexpr (requires(const type& t, nucleus& n) { t.join(n); }) {
      s << comma << type::name.text;
      comma = ", ";
      const std::size_t at = order.position(type::name.text);
      if (at == order.count) return;
      if (next != 0 && at != next) adjoin = false;
      next = at + 1;
    }
  });
  if (adjoin) return {};
  return (s << " side by side and in this order under joint truncation, got ").quote(params.order);
}

/// What fields ask of each other.
SLUICE_COLD problem check_together(const sampling_params& params) {
  problem found;
  for_each_stage([&](auto stage, std::size_t) {
    using type = typename decltype(stage)::type;
    if constexpr (requires(const type& made) { made.check(); })
      if (!found) found = stage_of<type>(params).check();
  });
  if (found) return found;

  const stage_order order = parse_order(params.order);
  if (params.truncation == truncation_rule::joint)
    if (problem p = check_joint_filters(params, order)) return p;

  if (params.xtc_marginal && order.runs<xtc>()) {
    if (stage_of<scatter>(params).active() && order.runs<scatter>())
      return sentence("xtc_marginal") << " must be false together with scatter, got true";
    if (params.dynatemp_range > 0 && order.runs<temperature>())
      return sentence("xtc_marginal") << " must be false together with dynatemp_range > 0, got true";
    if (params.mirostat != 0)
      return sentence("xtc_marginal") << " must be false together with mirostat, got true";
    if (params.adaptive_target >= 0 && order.runs<adaptive_p>())
      return sentence("xtc_marginal") << " must be false together with adaptive_target >= 0, got true";
  }
  return {};
}

SLUICE_COLD problem check_params(const sampling_params& params, std::size_t vocab_size) {
  if (vocab_size > detail::longest_row)
    return sentence("vocab_size") << " must be <= " << std::int64_t{detail::longest_row} << ", got "
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

#include <sluice/macros_back.inc>
