#include "compression/matrix.h"

#include "kernels/combine_rows.h"
#include "kernels/row_products.h"

namespace meteor {
namespace {

constexpr std::uint64_t kMostColumns = 65536;  // the largest dimension; none has more codes, or second moments

AlignedRows padded(const Eigen::Ref<const RowMatrix>& matrix) {
  AlignedRows rows(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    Eigen::Map<Eigen::RowVectorXf>(rows.row(i).data(), matrix.cols()) = matrix.row(static_cast<Eigen::Index>(i));
  }
  return rows;
}

}  // namespace

Eigen::Map<const RowMatrix> matrix_of(const Array& rows) {
  const auto values = rows.as<float>();
  if (rows.shape.size() != 2 || rows.shape[1] < 1 || rows.shape[1] > kMostColumns) {
    throw StorageError("array " + rows.name + " does not hold rows of floats");
  }
  return {values.data(), static_cast<Eigen::Index>(rows.shape[0]), static_cast<Eigen::Index>(rows.shape[1])};
}

RowMatrix row_products(const Eigen::Ref<const RowMatrix>& left, const Eigen::Ref<const RowMatrix>& right) {
  RowMatrix products(left.rows(), right.rows());
  row_products(padded(left), padded(right), products.data());
  return products;
}

RowMatrix row_combinations(const RowMatrix& weights, const RowMatrix& rows) {
  RowMatrix result(weights.rows(), rows.cols());
  const auto width = static_cast<std::size_t>(rows.cols());
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    combine_rows({.weights = weights.row(i).data(),
                  .count = static_cast<std::size_t>(weights.cols()),
                  .rows = rows.data(),
                  .stride = width,
                  .width = width,
                  .out = result.row(i).data()});
  }
  return result;
}

}  // namespace meteor
