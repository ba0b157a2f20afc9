#include "compression/lasso.h"

#include <algorithm>
#include <cmath>

namespace meteor {
namespace {

constexpr int kSweeps = 200;
constexpr float kTolerance = 1e-6F;

float shrink(float x, float by) { return x > by ? x - by : (x < -by ? x + by : 0.0F); }

}  // namespace

void lasso(const Eigen::MatrixXf& gram, Eigen::Ref<const Eigen::RowVectorXf> projection, float lambda,
           Eigen::Ref<Eigen::RowVectorXf> code) {
  const Eigen::Index size = projection.size();
  for (Eigen::Index i = 0; i < size; ++i) {  // the answer if the basis is orthogonal
    code[i] = gram(i, i) > 0 ? shrink(projection[i], lambda / 2) / gram(i, i) : 0.0F;
  }
  Eigen::RowVectorXf residual = projection - code * gram;  // B(v − wB)
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    float largest = 0;
    float moved = 0;
    for (Eigen::Index i = 0; i < size; ++i) {
      if (gram(i, i) <= 0) continue;
      const float next = shrink(residual[i] + gram(i, i) * code[i], lambda / 2) / gram(i, i);
      const float change = next - code[i];
      if (change != 0) residual.noalias() -= change * gram.row(i);
      code[i] = next;
      largest = std::max(largest, std::abs(next));
      moved = std::max(moved, std::abs(change));
    }
    if (moved <= kTolerance * largest) break;
  }
}

}  // namespace meteor
