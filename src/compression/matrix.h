#pragma once

#include <Eigen/Core>

#include "model/array.h"
#include "support/aligned_rows.h"

namespace meteor {

/// Eigen cuts its products into blocks that suit the caches of the machine, and the order of a sum depends on them. It
/// is told of the same caches everywhere, so that they do not change results.
inline const bool kSameBlocksOnAllMachines = [] {
  Eigen::setCpuCacheSizes(48 << 10, 2 << 20, 32 << 20);
  return true;
}();

/// Points, bases and codes are rows of floats.
using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const RowMatrix, Eigen::Aligned64, Eigen::OuterStride<>>;

/// left · rightᵀ, on the machine's best instruction set, which Eigen's products are not.
RowMatrix row_products(const Eigen::Ref<const RowMatrix>& left, const Eigen::Ref<const RowMatrix>& right);

/// weights · rows, on the machine's best instruction set.
RowMatrix row_combinations(const RowMatrix& weights, const RowMatrix& rows);

/// Some rows of a matrix as an array that looks at them.
inline Array view_rows(std::string name, const RowMatrix& matrix, Eigen::Index first, Eigen::Index count) {
  Array array = view_array(std::move(name), std::span<const float>(matrix.data() + first * matrix.cols(),
                                                                   static_cast<std::size_t>(count * matrix.cols())));
  array.shape = {static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(matrix.cols())};
  return array;
}
inline Array view_rows(std::string name, const RowMatrix& matrix) {
  return view_rows(std::move(name), matrix, 0, matrix.rows());
}
/// A matrix as an array that keeps it.
inline Array own_rows(std::string name, RowMatrix matrix) {
  auto owner = std::make_shared<const RowMatrix>(std::move(matrix));
  Array array = view_rows(std::move(name), *owner);
  array.owner = std::move(owner);
  return array;
}
/// An array of rows as a matrix, which looks at it. Throws StorageError if it has no rows and columns, or rows longer
/// than any of ours.
Eigen::Map<const RowMatrix> matrix_of(const Array& rows);

inline ConstRows rows_of(const AlignedRows& rows) {
  return {rows.data(), static_cast<Eigen::Index>(rows.rows()), static_cast<Eigen::Index>(rows.width()),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(rows.stride()))};
}

}  // namespace meteor
