#include "compression/clusters/basis.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace meteor {
namespace {

/// A share that is whole but for rounding, such as 0.07·100, is not rounded up to the next number.
constexpr double kRounding = 1e-9;

}  // namespace

std::vector<std::uint32_t> allocate_basis(std::span<const std::uint32_t> cluster_sizes, double total,
                                          BasisSharing sharing, std::size_t dimension) {
  const double units = std::accumulate(cluster_sizes.begin(), cluster_sizes.end(), 0.0);
  std::vector<std::uint32_t> allocation;
  for (std::uint32_t size : cluster_sizes) {
    const double share =
        sharing == BasisSharing::weighted ? size / units : 1.0 / static_cast<double>(cluster_sizes.size());
    const double most = std::max(1.0, std::min<double>(size, static_cast<double>(dimension)));
    allocation.push_back(static_cast<std::uint32_t>(std::clamp(std::ceil(total * share - kRounding), 1.0, most)));
  }
  return allocation;
}

RowMatrix leading_directions(const RowMatrix& points, std::size_t count) {
  const Eigen::Index n = points.rows();
  const Eigen::Index d = points.cols();
  const auto wanted = static_cast<Eigen::Index>(count);
  const Eigen::MatrixXd x = points.cast<double>();
  RowMatrix directions = RowMatrix::Zero(wanted, d);
  // The eigenvectors of the smaller of XᵀX and XXᵀ; eigenvalues come in ascending order.
  if (n < d) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(x * x.transpose());
    for (Eigen::Index i = 0; i < std::min(wanted, n); ++i) {
      const double variance = solver.eigenvalues()[n - 1 - i];
      if (variance <= 1e-12 * solver.eigenvalues()[n - 1]) break;  // the points span no more
      directions.row(i) = (x.transpose() * solver.eigenvectors().col(n - 1 - i) / std::sqrt(variance)).cast<float>();
    }
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(x.transpose() * x);
    for (Eigen::Index i = 0; i < wanted; ++i) directions.row(i) = solver.eigenvectors().col(d - 1 - i).cast<float>();
  }
  return directions;
}

RowMatrix leading_directions(RowMatrix points, std::span<const float> weights, std::size_t count) {
  for (std::size_t i = 0; i < weights.size(); ++i) points.row(static_cast<Eigen::Index>(i)) *= weights[i];
  return leading_directions(points, count);
}

}  // namespace meteor
