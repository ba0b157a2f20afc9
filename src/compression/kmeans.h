#pragma once

#include <cstdint>
#include <vector>

#include "compression/matrix.h"
#include "model/block_work.h"
#include "support/random.h"

namespace meteor {

struct Clustering {
  RowMatrix centroids;
  std::vector<std::uint32_t> cluster_of;  ///< of each point
};

/// The centroid nearest to each point; the first of equally near ones.
std::vector<std::uint32_t> nearest_centroids(const RowMatrix& points, const RowMatrix& centroids);

/// Lloyd's k-means from k-means++ starts (drawn on a sample where there are many points). No cluster is empty: one that
/// runs empty takes over the point that is farthest from its centroid. 1 ≤ clusters ≤ points. The workers find the
/// nearest centroids; the result does not depend on who they are.
Clustering kmeans(const RowMatrix& points, std::size_t clusters, Random& random, BlockWorkers& workers);

/// The part of k-means that is shared out: for `points` and `centroids`, `cluster` and `distance` (squared, less the
/// point's own squared norm) of each point.
std::vector<Array> nearest_centroids_of_block(std::span<const Array> block, std::span<const Array> shared);

}  // namespace meteor
