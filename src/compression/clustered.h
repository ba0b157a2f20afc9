#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/code_store.h"
#include "compression/matrix.h"
#include "model/embeddings.h"

namespace meteor {

/// Units in noisy fixed clusters, each cluster with a few basis vectors, each unit with a sparse code over those of its
/// cluster (Eq. 7): the paper's scheme. A unit stays in its cluster for ever.
class Clustered final : public Embeddings {
 public:
  /// A cluster as it was fitted.
  struct Cluster {
    AttributeId attribute{};
    CategoryKey category = CategoryKey::none;  ///< units of this category belong here
    RowMatrix basis;                           ///< a vector a row
    Eigen::VectorXf accumulators;              ///< AdaGrad's state of each basis vector, one number
  };

  Clustered(std::size_t dimension, float lambda, std::vector<Cluster> clusters);
  Clustered(std::size_t dimension, float lambda, std::span<const Array> arrays);

  std::string_view scheme() const override { return "clusters"; }
  std::size_t units() const override { return cluster_of_.size(); }
  void decode(std::span<const UnitId> units, AlignedRows& rows) const override;
  CompressionOutcome absorb(const WindowUpdate& update) override;
  std::vector<Array> arrays() const override;
  std::uint64_t bytes() const override;
  double bytes_per_new_unit() const override;

  /// Takes over units whose clusters are known, `rows` a row each; bases stay as they are. For the units that they were
  /// fitted to.
  CompressionOutcome take_over(std::span<const UnitId> units, std::span<const ClusterId> clusters,
                               const AlignedRows& rows);

  std::span<const Cluster> clusters() const { return clusters_; }
  ClusterId cluster_of(UnitId unit) const { return cluster_of_[index(unit)]; }

 private:
  enum class BasisStep { stay, move };
  CompressionOutcome refit(std::uint64_t window, std::span<const UnitId> units, const AlignedRows& rows,
                           BasisStep basis_step);
  /// `members` are the places of the cluster's units among the given ones.
  CompressionOutcome refit_cluster(Cluster& cluster, std::span<const std::size_t> members,
                                   std::span<const UnitId> units, const AlignedRows& rows, BasisStep basis_step);
  void grow(std::size_t units);
  /// Gives clusters to the units from `known` on: their category's, else the nearest of their attribute.
  void place_new_units(const WindowUpdate& update, std::size_t known);
  /// The cluster whose span is nearest to each row. (The distance to a centroid, as in the paper, costs a row of floats
  /// a cluster and does worse: docs/design.md.)
  std::vector<ClusterId> nearest_clusters(AttributeId attribute, const RowMatrix& rows) const;

  std::size_t dimension_;
  float lambda_;
  std::vector<Cluster> clusters_;
  std::vector<ClusterId> cluster_of_;  // of each unit
  CodeStore codes_;
};

}  // namespace meteor
