#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/matrix.h"
#include "model/block_work.h"

namespace meteor {

/// k-means finds points that are near to each other; what a cluster loses depends on how well few directions span it.
/// So from the clusters given, in turn, each cluster's basis is fitted to its weighted points, and each point moves to
/// the cluster whose basis captures most of its energy, until few points move. Meanwhile all clusters have the same
/// number of basis vectors (or as many as they have points): one with more of them would capture more, grow, and get
/// more again, until it held everything. No cluster loses its last point. Returns the new cluster of each point, which
/// does not depend on who the workers are.
std::vector<std::uint32_t> move_to_subspaces(const RowMatrix& points, std::span<const float> weights,
                                             std::vector<std::uint32_t> cluster_of, std::size_t vectors_each,
                                             BlockWorkers& workers);

/// Parts that are shared out. For `points`, all orthonormal `bases` end to end and their `sizes`: the `cluster` whose
/// basis captures most of each point's energy, the first of several; and that `energy`.
extern const BlockJob kNearestSubspaces;
/// From a cluster's `points`, their `weight` and the number of `vectors` the `basis`.
extern const BlockJob kFitSubspace;

}  // namespace meteor
