#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compression/clusters/clustered.h"
#include "compression/matrix.h"
#include "learning/shard.h"
#include "model/model.h"

namespace meteor {

/// Which clusters units would go to if they might change theirs, as in the paper's figure of cluster changes: after
/// every window its units go to the nearest centroid, and centroids to the mean of their units.
class ClusterDrift {
 public:
  /// Starts from clusters that have just been fitted to the model. Models have plain embeddings here and everywhere
  /// below.
  ClusterDrift(const Clustered& fitted, const Model& model);

  struct Changes {
    std::size_t units = 0;    ///< that had a cluster before
    std::size_t changed = 0;  ///< of them, those that went to another
  };
  /// Moves the units of a window that the model has learnt. New ones get their first cluster.
  Changes follow(const WindowUnits& window, const Model& model);

  std::size_t clustered_units() const { return cluster_of_.size(); }

 private:
  void move_centroids(const Model& model);

  std::vector<Eigen::Index> attribute_ends_;  // where the clusters of each attribute end
  std::vector<std::uint32_t> cluster_of_;     // of each unit
  RowMatrix centroids_;
};

}  // namespace meteor
