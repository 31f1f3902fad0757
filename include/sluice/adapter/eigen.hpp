#pragma once

// Rows of Eigen where a logits_view is asked for. Needs Eigen 3.4; the rest of the library does not.

#include <Eigen/Core>
#include <concepts>
#include <cstddef>

#include <sluice/logits_view.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

template <>
struct logit_traits<Eigen::half> {
  static constexpr logit_type type = logit_type::f16;
};

template <>
struct logit_traits<Eigen::bfloat16> {
  static constexpr logit_type type = logit_type::bf16;
};

/// Vectors of Eigen as rows of logits: Matrix, Array, Map, Ref, and `batch.row(i)` of a row-major batch, of
/// float, Eigen::half or Eigen::bfloat16. Nothing is copied. An expression is to be evaluated first.
template <class Row>
requires std::derived_from<Row, Eigen::DenseBase<Row>>
struct logits_source<Row> {
  static logits_view view(const Row& row) noexcept {
    static_assert(logit<typename Row::Scalar>, "sluice: logits are float, Eigen::half or Eigen::bfloat16");
    static_assert(bool(Row::IsVectorAtCompileTime),
                  "sluice: a row of logits is a vector; of a batch, batch.row(i)");
    static_assert(
        bool(int(Row::Flags) & int(Eigen::DirectAccessBit)) && int(Row::InnerStrideAtCompileTime) == 1,
        "sluice: a row of logits lies side by side in memory: a batch is row-major, an expression is "
        "evaluated first");
    return {row.data(), static_cast<std::size_t>(row.size())};
  }
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
