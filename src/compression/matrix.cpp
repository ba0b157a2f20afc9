#include "compression/matrix.h"

#include "kernels/row_products.h"

namespace meteor {
namespace {

AlignedRows padded(const Eigen::Ref<const RowMatrix>& matrix) {
  AlignedRows rows(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    Eigen::Map<Eigen::RowVectorXf>(rows.row(i).data(), matrix.cols()) = matrix.row(static_cast<Eigen::Index>(i));
  }
  return rows;
}

}  // namespace

RowMatrix row_products(const Eigen::Ref<const RowMatrix>& left, const Eigen::Ref<const RowMatrix>& right) {
  RowMatrix products(left.rows(), right.rows());
  row_products(padded(left), padded(right), products.data());
  return products;
}

}  // namespace meteor
