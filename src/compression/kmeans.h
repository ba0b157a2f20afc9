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

/// The same by the workers, with the squared distances.
struct NearestCentroids {
  std::vector<std::uint32_t> cluster_of;
  std::vector<float> distance;
};
NearestCentroids nearest_centroids(const RowMatrix& points, const RowMatrix& centroids, BlockWorkers& workers);

/// Lloyd's k-means from k-means++ starts (drawn on a sample where there are many points). No cluster is empty: one that
/// runs empty takes over the point that is farthest from its centroid. 1 ≤ clusters ≤ points. The workers find the
/// nearest centroids; the result does not depend on who they are.
Clustering kmeans(const RowMatrix& points, std::size_t clusters, Random& random, BlockWorkers& workers,
                  int iterations = 25);

/// The part of k-means that is shared out: for `points` and `centroids`, `cluster` and `distance` (squared, less the
/// point's own squared norm) of each point.
extern const BlockJob kNearestCentroids;

}  // namespace meteor
