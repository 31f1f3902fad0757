#include <doctest/doctest.h>

#include <sluice/adapter/eigen.hpp>

#include "row_tokens.hpp"

namespace {

using sluice::token_id;

template <class T>
using row_of = Eigen::Array<T, 1, Eigen::Dynamic>;

template <class T>
row_of<T> eigen_row() {
  return Eigen::Map<const row_of<float>>(shown.data(), Eigen::Index(shown.size())).cast<T>();
}

/// A function of an engine that takes any row of floats of Eigen.
std::vector<token_id> tokens_of_ref(const Eigen::Ref<const row_of<float>>& row) { return tokens_of(row); }

}  // namespace

TEST_CASE("rows of Eigen give the tokens of the plain row, in float, half and bfloat16") {
  const std::vector<token_id> expected = tokens_of(shown);
  const row_of<float> array = eigen_row<float>();
  const Eigen::VectorXf vector = array.matrix().transpose();

  CHECK(tokens_of(array) == expected);
  CHECK(tokens_of(vector) == expected);
  CHECK(tokens_of_ref(array) == expected);
  CHECK(tokens_of(Eigen::Map<const Eigen::VectorXf>(shown.data(), 4)) == expected);
  CHECK(tokens_of(eigen_row<Eigen::half>()) == expected);
  CHECK(tokens_of(eigen_row<Eigen::bfloat16>()) == expected);
}

TEST_CASE("a row of a row-major batch is a row") {
  Eigen::Array<float, 3, 4, Eigen::RowMajor> batch;
  batch << 9, 0, 0, 0, 1, 2, -1, 0.5f, 0, 0, 0, 9;

  CHECK(tokens_of(batch.row(1)) == tokens_of(shown));
}
