#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/clusters/cluster_refit.h"
#include "compression/clusters/code_store.h"
#include "compression/matrix.h"
#include "model/embeddings.h"

namespace meteor {

/// Units in noisy fixed clusters, each cluster with a few basis vectors, each unit with a sparse code over those of its
/// cluster (Eq. 7): the paper's scheme. A unit stays in its cluster for ever.
class Clustered final : public Embeddings {
 public:
  /// Rounds the bases to the precision in which they and the codes are kept.
  Clustered(std::size_t dimension, float lambda, std::vector<Cluster> clusters,
            Precision precision = Precision::float32);
  /// The arrays tell the precision.
  Clustered(std::size_t dimension, float lambda, std::span<const Array> arrays);

  std::string_view scheme() const override { return "clusters"; }
  std::size_t units() const override { return cluster_of_.size(); }
  void decode(std::span<const UnitId> units, AlignedRows& rows) const override;
  std::optional<AttributeId> coded_as(UnitId unit) const override {
    return clusters_[index(cluster_of(unit))].attribute;
  }
  CompressionOutcome absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) override;
  void follow(std::span<const UnitId> units, std::span<const Array> changes) override;
  bool forget(std::span<const UnitId> units, const UnitFacts& left, BlockWorkers& workers) override;
  std::vector<Array> arrays() const override;
  std::uint64_t bytes() const override;
  double bytes_per_new_unit() const override;
  std::vector<NamedSize> sizes() const override {
    return {{"clusters", clusters_.size()}, {"basis_vectors", vector_count()}};
  }

  /// Adds or replaces a unit whose cluster and code are known.
  void set_unit(UnitId unit, ClusterId cluster, std::span<const float> code);

  Precision precision() const { return precision_; }
  std::span<const Cluster> clusters() const { return clusters_; }
  ClusterId cluster_of(UnitId unit) const { return cluster_of_[index(unit)]; }

 private:
  CompressionOutcome refit(const WindowUpdate& update, BlockWorkers& workers);
  void number_vectors();
  std::size_t vector_count() const {
    return clusters_.empty() ? 0 : first_vectors_.back() + static_cast<std::size_t>(clusters_.back().basis.rows());
  }
  /// Throws StorageError unless the codes of these units stand for numbers that a model may hold.
  void require_small_products(std::span<const UnitId> units) const;
  void grow(std::size_t units);
  /// Gives clusters to the units from `known` on: their category's, else the nearest of their attribute.
  void place_new_units(const WindowUpdate& update, std::size_t known);
  /// The cluster whose span is nearest to each row. (The distance to a centroid, as in the paper, costs a row of floats
  /// a cluster and does worse: docs/design.md.)
  std::vector<ClusterId> nearest_clusters(AttributeId attribute, const RowMatrix& rows) const;

  std::size_t dimension_;
  float lambda_;
  Precision precision_;
  std::vector<Cluster> clusters_;             // whose bases are floats that have the precision
  std::vector<std::uint32_t> first_vectors_;  // of each cluster, where basis vectors are numbered through
  std::vector<ClusterId> cluster_of_;         // of each unit
  CodeStore codes_;
};

}  // namespace meteor
