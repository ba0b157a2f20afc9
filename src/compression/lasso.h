#pragma once

#include <Eigen/Core>

namespace meteor {

/// The code w that minimises ‖wB − v‖² + λ‖w‖₁ (Eq. 9), by coordinate descent to rounding, given gram = BBᵀ and
/// projection = Bv. A basis vector that is zero gets weight 0.
void lasso(const Eigen::MatrixXf& gram, Eigen::Ref<const Eigen::RowVectorXf> projection, float lambda,
           Eigen::Ref<Eigen::RowVectorXf> code);

}  // namespace meteor
