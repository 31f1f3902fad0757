#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Names the logit type of an element type T: `static constexpr logit_type type`. Specialise it for a 16-bit
/// float type of your own; `adapter/eigen.hpp` does so for Eigen::half and Eigen::bfloat16.
template <class T>
struct logit_traits;

template <>
struct logit_traits<float> {
  static constexpr logit_type type = logit_type::f32;
};

// g++ 12 on Arm defines the macro without the type.
#if defined(__FLT16_MAX__) && (defined(__x86_64__) || defined(__clang__) || __GNUC__ >= 13)
template <>
struct logit_traits<_Float16> {
  static constexpr logit_type type = logit_type::f16;
};
#endif

/// Where the logits of a row type lie that is no contiguous range: `static logits_view view(const Row&)
/// noexcept`. `adapter/eigen.hpp` specialises it for the vectors of Eigen.
template <class Row>
struct logits_source;

template <class T>
concept logit = requires {
  { logit_traits<std::remove_cv_t<T>>::type } -> std::convertible_to<logit_type>;
};

template <class Reference>
concept logit_reference = logit<std::remove_reference_t<Reference>>;

/// Logits side by side: a vector, span or array of a logit type.
template <class Range>
concept logit_range = requires(const Range& row) {
  { *std::span(row).data() } -> logit_reference;  // a span is of what lies side by side, and of nothing else
};

/// A row of logits, seen and never written: one parameter for every kind of row.
/// Dense: any contiguous range of a logit type, `{pointer, size}`, or `{void pointer, size, type}`; token i
/// is element i. Sparse: `{ids, logits}`, in any order; V is the highest id + 1, a repeated id counts once
/// (the first), a negative id is absent, and tokens that are not named are absent. Costs nothing to copy; the
/// memory must outlive the call that it is passed to.
class logits_view {
 public:
  constexpr logits_view() noexcept = default;

  template <logit_range Range>
  constexpr logits_view(const Range& row) noexcept  // NOLINT: implicit by design
      : logits_view(std::span(row).data(), std::span(row).size()) {}

  template <class Row>
  requires requires(const Row& row) { logits_source<Row>::view(row); }
  constexpr logits_view(const Row& row) noexcept : logits_view(logits_source<Row>::view(row)) {}  // NOLINT

  template <logit T>
  constexpr logits_view(const T* logits, std::size_t size) noexcept
      : logits_(logits), size_(size), type_(logit_traits<std::remove_cv_t<T>>::type) {}

  constexpr logits_view(const void* logits, std::size_t size, logit_type type) noexcept
      : logits_(logits), size_(size), type_(type) {}

  /// Of two lengths the shorter counts.
  constexpr logits_view(std::span<const token_id> ids, std::span<const float> logits) noexcept
      : logits_(logits.data()),
        ids_(ids.data()),
        size_(ids.size() < logits.size() ? ids.size() : logits.size()),
        sparse_(true) {}

  constexpr const void* data() const noexcept { return logits_; }
  /// Elements stored: V of a dense row, the number of pairs of a sparse one.
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr logit_type type() const noexcept { return type_; }
  constexpr bool sparse() const noexcept { return sparse_; }
  /// The ids of a sparse row; null for a dense one.
  constexpr const token_id* ids() const noexcept { return ids_; }

 private:
  const void* logits_ = nullptr;
  const token_id* ids_ = nullptr;
  std::size_t size_ = 0;
  logit_type type_ = logit_type::f32;
  bool sparse_ = false;
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
