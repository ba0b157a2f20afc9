#pragma once

#include <Eigen/Core>

#include "support/aligned_rows.h"

namespace meteor {

/// Points, bases and codes are rows of floats.
using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const RowMatrix, Eigen::Aligned64, Eigen::OuterStride<>>;

/// left · rightᵀ, on the machine's best instruction set, which Eigen's products are not.
RowMatrix row_products(const Eigen::Ref<const RowMatrix>& left, const Eigen::Ref<const RowMatrix>& right);

inline ConstRows rows_of(const AlignedRows& rows) {
  return {rows.data(), static_cast<Eigen::Index>(rows.rows()), static_cast<Eigen::Index>(rows.width()),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(rows.stride()))};
}

}  // namespace meteor
