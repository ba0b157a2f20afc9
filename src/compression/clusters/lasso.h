#pragma once

#include "compression/matrix.h"

namespace meteor {

/// The codes w that minimise ‖wB − v‖² + λ‖w‖₁ (Eq. 9) for many v, one a row, given gram = BBᵀ and their projections
/// vBᵀ. Exact to rounding. A basis vector that is zero gets weight 0.
RowMatrix lasso(const RowMatrix& gram, const RowMatrix& projections, float lambda);

}  // namespace meteor
