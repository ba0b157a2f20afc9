#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "compression/matrix.h"
#include "model/block_work.h"
#include "support/aligned_rows.h"

namespace meteor {

// Distances and angles are the same in all coordinates, but AdaGrad's steps are not: along the principal axes of what
// has been learnt it learns better. Codes want these axes, too, and where embeddings have them already no basis has to
// be stored, and nothing to be rotated. So axes are turned now and then. A *turn* is a matrix whose row k says where
// the k-th axis goes; rows times it are in the new coordinates.

/// What a unit that was seen so often weighs when axes and bits are chosen: the fourth root of that.
double weight_of(std::uint32_t count);

/// Second moments of a block's embeddings, each scaled to length 1 and weighed.
RowMatrix weighed_moments(const AlignedRows& points, std::span<const float> weights);

/// These of `points` with a `weight` each, as a part that is shared out.
extern const BlockJob kMoments;

/// The turn to the axes by the energy that they hold, most first. Throws NumericError where moments, which may have
/// come from elsewhere, are not finite.
AlignedRows turn_to_axes_of(const Eigen::MatrixXd& moments);

/// Brings rows to the coordinates after a turn.
void turn_rows(AlignedRows& rows, const AlignedRows& turn);

}  // namespace meteor
