#pragma once

// The fields of sampling_params by name, with their ranges: those that the stages list, and those of the
// chain.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <sluice/chain/stages.hpp>
#include <sluice/params.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {
namespace detail {

/// An enum field seen as the index of its name.
struct choice {
  std::span<const std::string_view> names = {};
  std::uint8_t (*get)(const sampling_params&) = nullptr;
  void (*put)(sampling_params&, std::uint8_t) = nullptr;
};

template <auto Member>
constexpr choice choice_of(std::span<const std::string_view> names) {
  return {.names = names,
          .get = [](const sampling_params& params) { return static_cast<std::uint8_t>(params.*Member); },
          .put =
              [](sampling_params& params, std::uint8_t index) {
                using type = std::remove_reference_t<decltype(params.*Member)>;
                params.*Member = static_cast<type>(index);
              }};
}

/// A row of the table. Exactly one of the members is set; it tells the type.
struct field {
  using P = sampling_params;

  std::string_view name = {};
  float P::*real = nullptr;
  real_range reals = {};
  int P::*integer = nullptr;
  integer_range integers = {};
  bool P::*flag = nullptr;
  std::vector<token_id> P::*tokens = nullptr;
  std::vector<token_bias> P::*biases = nullptr;
  std::vector<std::vector<token_id>> P::*breakers = nullptr;
  std::optional<std::uint64_t> P::*seed = nullptr;
  std::string P::*order = nullptr;
  choice choices = {};

  constexpr field() = default;
  constexpr field(std::string_view n, float P::*m, real_range r) : name(n), real(m), reals(r) {}
  constexpr field(std::string_view n, int P::*m, integer_range r) : name(n), integer(m), integers(r) {}
  constexpr field(std::string_view n, bool P::*m, no_range = {}) : name(n), flag(m) {}
  constexpr field(std::string_view n, std::vector<token_id> P::*m, no_range = {}) : name(n), tokens(m) {}
  constexpr field(std::string_view n, std::vector<token_bias> P::*m, no_range = {}) : name(n), biases(m) {}
  constexpr field(std::string_view n, std::vector<std::vector<token_id>> P::*m, no_range = {})
      : name(n), breakers(m) {}
  constexpr field(std::string_view n, std::optional<std::uint64_t> P::*m) : name(n), seed(m) {}
  constexpr field(std::string_view n, std::string P::*m) : name(n), order(m) {}
  constexpr field(std::string_view n, choice c) : name(n), choices(c) {}
};

inline constexpr std::string_view truncation_names[] = {"sequential", "joint"};
inline constexpr std::string_view engine_names[] = {"automatic", "sort", "select", "rejection"};
inline constexpr std::string_view draw_names[] = {"gumbel", "softmax"};

inline namespace SLUICE_ISA {

struct field_table {
  std::array<field, 64> rows = {};
  std::size_t count = 0;

  constexpr const field* begin() const noexcept { return rows.data(); }
  constexpr const field* end() const noexcept { return rows.data() + count; }
  constexpr std::size_t size() const noexcept { return count; }
  /// Null where there is none of that name.
  constexpr const field* find(std::string_view name) const noexcept {
    for (const field& f : *this)
      if (f.name == name) return &f;
    return nullptr;
  }
  constexpr void add(const field& f) noexcept {
    if (find(f.name) == nullptr) rows[count++] = f;
  }
};

/// A parameter that several stages read stands once.
constexpr field_table make_fields() noexcept {
  field_table table;
  table.add({"seed", &sampling_params::seed});
  table.add({"order", &sampling_params::order});
  for_each_stage([&](auto stage, std::size_t) {
    std::apply(
        [&](const auto&... each) {
          (table.add({each.name, each.field, each.range}), ...);
        },
        decltype(stage)::type::parameters);
  });
  table.add({"truncation", choice_of<&sampling_params::truncation>(truncation_names)});
  table.add({"engine", choice_of<&sampling_params::engine>(engine_names)});
  table.add({"draw", choice_of<&sampling_params::draw>(draw_names)});
  return table;
}

inline constexpr field_table fields = make_fields();

constexpr const field* find_field(std::string_view name) noexcept { return fields.find(name); }

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
