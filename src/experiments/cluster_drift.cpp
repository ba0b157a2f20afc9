#include "experiments/cluster_drift.h"

#include <limits>

#include "compression/gather_rows.h"
#include "compression/kmeans.h"
#include "compression/uncompressed/uncompressed.h"

namespace meteor {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

ClusterDrift::ClusterDrift(const Clustered& fitted, const Model& model)
    : centroids_(
          RowMatrix::Zero(static_cast<Eigen::Index>(fitted.clusters().size()), static_cast<int>(model.dimension))) {
  for (std::size_t c = 0; c < fitted.clusters().size(); ++c) {  // which are in the order of their attributes
    attribute_ends_.resize(index(fitted.clusters()[c].attribute) + 1);
    attribute_ends_.back() = static_cast<Eigen::Index>(c + 1);
  }
  for (std::size_t i = 0; i < fitted.units(); ++i) {
    cluster_of_.push_back(static_cast<std::uint32_t>(fitted.cluster_of(static_cast<UnitId>(i))));
  }
  move_centroids(model);
}

ClusterDrift::Changes ClusterDrift::follow(const WindowUnits& window, const Model& model) {
  cluster_of_.resize(model.units(), kNone);
  Changes changes;
  for (std::size_t a = 0; a < window.attribute_ends.size(); ++a) {
    const std::uint32_t begin = window.attribute_begin(a);
    const auto units = std::span(window.units).subspan(begin, window.attribute_ends[a] - begin);
    if (units.empty()) continue;
    const Eigen::Index first = a == 0 ? 0 : attribute_ends_[a - 1];
    const auto nearest = nearest_centroids(gather_rows(space_of(model), units),
                                           centroids_.middleRows(first, attribute_ends_[a] - first));
    for (std::size_t i = 0; i < units.size(); ++i) {
      std::uint32_t& cluster = cluster_of_[index(units[i])];
      const std::uint32_t next = static_cast<std::uint32_t>(first) + nearest[i];
      if (cluster != kNone) ++changes.units;
      if (cluster != kNone && cluster != next) ++changes.changed;
      cluster = next;
    }
  }
  move_centroids(model);
  return changes;
}

void ClusterDrift::move_centroids(const Model& model) {
  RowMatrix sums = RowMatrix::Zero(centroids_.rows(), centroids_.cols());
  std::vector<std::uint32_t> sizes(static_cast<std::size_t>(centroids_.rows()));
  for (std::size_t i = 0; i < cluster_of_.size(); ++i) {
    const std::span<const float> row = space_of(model).row(static_cast<UnitId>(i));
    sums.row(cluster_of_[i]) += Eigen::Map<const Eigen::RowVectorXf>(row.data(), sums.cols());
    ++sizes[cluster_of_[i]];
  }
  for (std::size_t c = 0; c < sizes.size(); ++c) {  // one that has lost its units stays
    const auto place = static_cast<Eigen::Index>(c);
    if (sizes[c] > 0) centroids_.row(place) = sums.row(place) / static_cast<float>(sizes[c]);
  }
}

}  // namespace meteor
