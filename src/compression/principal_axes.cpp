#include "compression/principal_axes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "compression/block_checks.h"
#include "compression/gather_rows.h"
#include "compression/matrix.h"
#include "kernels/multiply_rows.h"
#include "kernels/quantise.h"
#include "kernels/row_products.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr std::size_t kColumns = 512;   // points whose transposed rows stay in the cache
constexpr std::size_t kTogether = 256;  // rows that are turned in one go

std::vector<Array> moments_of_block(std::span<const Array> block, std::span<const Array> /*shared*/) {
  const AlignedRows points = aligned_rows_of(matrix_of(find_array(block, "points")));
  return {own_rows("moments", weighed_moments(points, find_array(block, "weight").as<float>()))};
}

void require_points(std::span<const Array> block, std::span<const Array> /*shared*/, std::size_t dimension) {
  so_many<float>(count_points(block, dimension), block, "weight");
}

void require_moments(const BlockOutline& block, std::span<const Array> /*shared*/, std::span<const Array> result) {
  require_matrix(result, "moments", block.width, block.width);
}

}  // namespace

const BlockJob kMoments{"moments", moments_of_block, require_points, require_moments};

double weight_of(std::uint32_t count) { return std::sqrt(std::sqrt(static_cast<double>(std::max(count, 1U)))); }

RowMatrix weighed_moments(const AlignedRows& points, std::span<const float> weights) {
  const auto d = static_cast<Eigen::Index>(points.width());
  RowMatrix moments = RowMatrix::Zero(d, d);
  RowMatrix of_some(d, d);
  for (std::size_t begin = 0; begin < points.rows(); begin += kColumns) {
    const std::size_t count = std::min(kColumns, points.rows() - begin);
    AlignedRows columns(points.width(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const point = points.row(begin + i).data();
      const double energy = squared_norm(point, nullptr, points.stride());
      const auto scale = energy > 0 ? static_cast<float>(std::sqrt(weights[begin + i] / energy)) : 0.0F;
      for (std::size_t k = 0; k < points.width(); ++k) columns.row(k)[i] = point[k] * scale;
    }
    row_products(columns, columns, of_some.data());
    moments += of_some;
  }
  return moments;
}

AlignedRows turn_to_axes_of(const Eigen::MatrixXd& moments) {
  if (!moments.allFinite()) throw NumericError("the second moments of the embeddings are not finite");
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(moments);
  const RowMatrix axes = solver.eigenvectors().rowwise().reverse().cast<float>();  // a column each
  AlignedRows turn(static_cast<std::size_t>(axes.rows()), static_cast<std::size_t>(axes.cols()));
  for (std::size_t k = 0; k < turn.rows(); ++k) {
    std::copy_n(axes.row(static_cast<Eigen::Index>(k)).data(), turn.width(), turn.row(k).begin());
  }
  return turn;
}

void turn_rows(AlignedRows& rows, const AlignedRows& turn) {
  AlignedRows some(std::min(kTogether, rows.rows()), rows.width());  // all of them might take much memory
  for (std::size_t begin = 0; begin < rows.rows(); begin += kTogether) {
    const std::size_t count = std::min(kTogether, rows.rows() - begin);
    multiply_rows(rows, {begin, count}, turn, some, 0);
    std::copy_n(some.data(), count * some.stride(), rows.row(begin).data());
  }
}

}  // namespace meteor
