#pragma once

#include <llama.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <sluice/api.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::llama {

static_assert(std::is_same_v<llama_token, token_id>, "sluice: llama_token must be a 32-bit integer");

namespace detail {
inline namespace SLUICE_ISA {

/// An array of candidates as a row of logits. Owns the copy, and allocates only where an array is longer than
/// any before it.
class candidate_row {
 public:
  /// Ids 0, 1, 2 ... make a dense row, any others a sparse one. False where memory ran out. The view lives
  /// until the next call.
  bool read(const llama_token_data_array& array) noexcept {
    if (!logits_.grow(array.size * sizeof(float))) return false;
    auto* const logits = reinterpret_cast<float*>(logits_.data());
    bool in_order = true;
    for (std::size_t i = 0; i < array.size; ++i) {
      logits[i] = array.data[i].logit;
      in_order &= array.data[i].id == token_id(i);
    }
    if (in_order) {
      view_ = logits_view(logits, array.size);
      return true;
    }
    if (!ids_.grow(array.size * sizeof(token_id))) return false;
    auto* const ids = reinterpret_cast<token_id*>(ids_.data());
    for (std::size_t i = 0; i < array.size; ++i) ids[i] = array.data[i].id;
    view_ = logits_view(std::span(ids, array.size), std::span(logits, array.size));
    return true;
  }

  const logits_view& view() const noexcept { return view_; }

 private:
  sluice::detail::buffer logits_, ids_;
  logits_view view_;
};

/// Where a token stands in the array that `view` was read from: the first place, as the row counts it.
inline std::int64_t place_of(token_id token, const logits_view& view) noexcept {
  if (!view.sparse()) return token;
  std::size_t i = 0;
  while (view.ids()[i] != token) ++i;
  return std::int64_t(i);
}

/// The array becomes the survivors, best first. They never outnumber what was read.
template <class Logit>
void write(llama_token_data_array& array, std::span<const candidate> survivors, Logit logit) noexcept {
  for (std::size_t i = 0; i < survivors.size(); ++i)
    array.data[i] = {survivors[i].id, logit(survivors[i]), survivors[i].probability};
  array.size = survivors.size();
  array.sorted = true;
}

/// A new llama_sampler. Headers older than llama_sampler_init leave that to their user.
template <class Interface>
llama_sampler* new_sampler(Interface* functions, void* state) {
  if constexpr (requires { llama_sampler_init(functions, state); }) {
    return llama_sampler_init(functions, state);
  } else {
    return new llama_sampler{functions, state};
  }
}

}  // namespace SLUICE_ISA
}  // namespace detail
}  // namespace sluice::inline v1::llama

#include <sluice/macros_back.inc>
