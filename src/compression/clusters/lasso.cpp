#include "compression/clusters/lasso.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace meteor {
namespace {

constexpr int kSweeps = 200;
constexpr float kTolerance = 1e-6F;

float shrink(float x, float by) { return x > by ? x - by : (x < -by ? x + by : 0.0F); }

/// Least squares, shifted as if no weight became zero or changed its sign. With a small λ this is nearly the answer.
RowMatrix starts(const RowMatrix& gram, const RowMatrix& projections, float lambda) {
  Eigen::MatrixXf ridged = gram;
  ridged.diagonal().array() += 1e-6F * gram.trace() / static_cast<float>(gram.rows()) + 1e-30F;
  const Eigen::LLT<Eigen::MatrixXf> solver(ridged);
  Eigen::MatrixXf weights = solver.solve(projections.transpose());
  weights -= lambda / 2 * solver.solve(weights.cwiseSign().matrix());
  return weights.transpose();
}

/// Coordinate descent from `code`; `residual` is the projection of what it leaves over.
void descend(const RowMatrix& gram, float lambda, Eigen::Ref<Eigen::RowVectorXf> code,
             Eigen::Ref<Eigen::RowVectorXf> residual) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const float settled = kTolerance * code.cwiseAbs().maxCoeff();
    bool moved = false;
    for (Eigen::Index i = 0; i < code.size(); ++i) {
      const float square = gram(i, i);
      const float next = square > 0 ? shrink(residual[i] + square * code[i], lambda / 2) / square : 0.0F;
      const float change = next - code[i];
      if (std::abs(change) <= settled && (next != 0 || code[i] == 0)) continue;
      residual.noalias() -= change * gram.row(i);
      code[i] = next;
      moved = true;
    }
    if (!moved) break;
  }
}

}  // namespace

RowMatrix lasso(const RowMatrix& gram, const RowMatrix& projections, float lambda) {
  RowMatrix codes = starts(gram, projections, lambda);
  RowMatrix residuals = projections - row_products(codes, gram);  // the Gram matrix is its own transpose
  for (Eigen::Index i = 0; i < codes.rows(); ++i) descend(gram, lambda, codes.row(i), residuals.row(i));
  return codes;
}

}  // namespace meteor
