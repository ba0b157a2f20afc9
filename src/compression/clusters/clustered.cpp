#include "compression/clusters/clustered.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "compression/gather_rows.h"
#include "kernels/combine_rows.h"
#include "model/block_work.h"
#include "model/drop_units.h"

namespace meteor {
namespace {

constexpr std::size_t kPlacedTogether = 1024;  // new units

/// How much of each row's energy lies in the span of the basis, whose vectors need be neither orthogonal nor of unit
/// length.
Eigen::VectorXf captured_energy(const RowMatrix& basis, const RowMatrix& rows) {
  Eigen::MatrixXf gram = row_products(basis, basis);
  gram.diagonal().array() +=
      1e-6F * gram.trace() + std::numeric_limits<float>::min();  // where vectors depend on others
  // Projections onto an orthonormal basis of the span: L⁻¹ is small, and products of rows are much faster than a
  // solver.
  const Eigen::MatrixXf inverse = gram.llt().matrixL().solve(Eigen::MatrixXf::Identity(gram.rows(), gram.cols()));
  return row_products(row_products(rows, basis), inverse).rowwise().squaredNorm();
}

}  // namespace

Clustered::Clustered(std::size_t dimension, float lambda, std::vector<Cluster> clusters, Precision precision)
    : dimension_(dimension), lambda_(lambda), precision_(precision), clusters_(std::move(clusters)), codes_(precision) {
  for (Cluster& cluster : clusters_) round_rows(cluster.basis, precision_);
  number_vectors();
}

void Clustered::number_vectors() {
  std::uint32_t next = 0;
  for (const Cluster& cluster : clusters_) {
    first_vectors_.push_back(next);
    next += static_cast<std::uint32_t>(cluster.basis.rows());
  }
}

void Clustered::grow(std::size_t units) {
  cluster_of_.resize(units);
  codes_.grow(units);
}

void Clustered::decode(std::span<const UnitId> units, AlignedRows& rows) const {
  std::vector<float> code;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Cluster& cluster = clusters_[index(cluster_of_[index(units[i])])];
    code.resize(static_cast<std::size_t>(cluster.basis.rows()));
    codes_.get(units[i], code);
    combine_rows({.weights = code.data(),
                  .count = code.size(),
                  .rows = cluster.basis.data(),
                  .stride = dimension_,
                  .width = dimension_,
                  .out = rows.row(i).data()});
  }
}

std::vector<ClusterId> Clustered::nearest_clusters(AttributeId attribute, const RowMatrix& rows) const {
  std::vector<ClusterId> nearest(static_cast<std::size_t>(rows.rows()));
  std::vector<float> most(nearest.size(), -1);  // of a row's energy lies in the nearest span
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    if (clusters_[c].attribute != attribute) continue;
    const Eigen::VectorXf captured = captured_energy(clusters_[c].basis, rows);
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      if (captured[static_cast<Eigen::Index>(i)] <= most[i]) continue;
      most[i] = captured[static_cast<Eigen::Index>(i)];
      nearest[i] = static_cast<ClusterId>(c);
    }
  }
  return nearest;
}

void Clustered::place_new_units(const WindowUpdate& update, std::size_t known) {
  if (clusters_.empty() && !update.units.empty()) throw StorageError("the model has no cluster for new units");
  std::map<CategoryKey, ClusterId> cluster_of_category;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    if (clusters_[c].category != CategoryKey::none)
      cluster_of_category[clusters_[c].category] = static_cast<ClusterId>(c);
  }
  std::map<AttributeId, std::vector<std::size_t>> uncategorised;  // rows of the update
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    if (index(update.units[i]) < known) continue;
    const auto category = cluster_of_category.find(update.categories[i]);
    if (category != cluster_of_category.end()) {
      cluster_of_[index(update.units[i])] = category->second;
    } else {
      uncategorised[update.attributes[i]].push_back(i);
    }
  }
  for (const auto& [attribute, members] : uncategorised) {
    for (std::size_t begin = 0; begin < members.size(); begin += kPlacedTogether) {
      const auto block = std::span(members).subspan(begin, std::min(kPlacedTogether, members.size() - begin));
      const auto nearest = nearest_clusters(attribute, gather_rows(update.rows, block));
      for (std::size_t i = 0; i < block.size(); ++i) cluster_of_[index(update.units[block[i]])] = nearest[i];
    }
  }
}

CompressionOutcome Clustered::absorb(const WindowUpdate& update, const UnitFacts& /*facts*/, BlockWorkers& workers) {
  refuse_broken(update.window, update.units, update.rows);
  const std::size_t known = units();
  std::size_t highest = known;
  for (UnitId unit : update.units) highest = std::max(highest, index(unit) + 1);
  grow(highest);
  place_new_units(update, known);
  CompressionOutcome outcome = refit(update, workers);
  std::vector<std::uint32_t> new_clusters;
  for (std::size_t i = known; i < highest; ++i) new_clusters.push_back(static_cast<std::uint32_t>(cluster_of_[i]));
  outcome.changes.push_back(own_array("changed/new_cluster", std::move(new_clusters)));
  for (Array& array : codes_.arrays("changed/", update.units)) outcome.changes.push_back(std::move(array));
  return outcome;
}

void Clustered::set_unit(UnitId unit, ClusterId cluster, std::span<const float> code) {
  if (index(unit) >= units()) grow(index(unit) + 1);
  cluster_of_[index(unit)] = cluster;
  codes_.set(unit, code);
}

CompressionOutcome Clustered::refit(const WindowUpdate& update, BlockWorkers& workers) {
  std::vector<std::vector<std::size_t>> members(clusters_.size());  // rows of each cluster
  for (std::size_t i = 0; i < update.units.size(); ++i) members[index(cluster_of(update.units[i]))].push_back(i);
  std::vector<WorkBlock> blocks;
  std::vector<std::size_t> touched;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    if (members[c].empty()) continue;
    touched.push_back(c);
    const auto vectors = static_cast<std::size_t>(clusters_[c].basis.rows());
    const auto make = [&, c]() -> std::vector<Array> {  // not before it is needed: all rows together are many
      return {view_rows("basis", clusters_[c].basis), own_rows("accumulator", clusters_[c].accumulators),
              own_rows("rows", gather_rows(update.rows, members[c]))};
    };
    blocks.push_back({{}, refit_cost(members[c].size(), vectors, dimension_), make});
  }
  const std::vector<Array> shared = shared_refit_settings(lambda_, precision_);
  const auto refits = workers.share_out(std::move(blocks))->map(kRefitCluster, shared);

  CompressionOutcome outcome;
  BasisMoves moves;  // of all clusters
  for (std::size_t i = 0; i < touched.size(); ++i) {
    Cluster& cluster = clusters_[touched[i]];
    const auto codes = matrix_of(find_array(refits[i], "codes"));
    for (std::size_t k = 0; k < members[touched[i]].size(); ++k) {
      codes_.set(update.units[members[touched[i]][k]],
                 {codes.row(static_cast<Eigen::Index>(k)).data(), static_cast<std::size_t>(codes.cols())});
    }
    const auto error = find_array(refits[i], "error").as<float>();
    outcome.squared_error += error[0];
    outcome.squared_norm += error[1];
    cluster.accumulators = matrix_of(find_array(refits[i], "accumulator"));
    const auto vectors = find_array(refits[i], "vector").as<std::uint32_t>();
    const auto scales = find_array(refits[i], "scale").as<float>();
    const auto steps = find_array(refits[i], "step").as<std::uint8_t>();
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      if (!std::isfinite(scales[v])) {
        throw NumericError(fmt::format("window {}: the basis of cluster {} is not finite", update.window, touched[i]));
      }
      move_vector(cluster.basis.row(vectors[v]), scales[v], steps.subspan(v * dimension_, dimension_), precision_);
      moves.vectors.push_back(first_vectors_[touched[i]] + vectors[v]);
    }
    moves.scales.insert(moves.scales.end(), scales.begin(), scales.end());
    moves.steps.insert(moves.steps.end(), steps.begin(), steps.end());
  }
  outcome.changes.push_back(own_array("moved/vector", std::move(moves.vectors)));
  outcome.changes.push_back(own_array("moved/scale", std::move(moves.scales)));
  outcome.changes.push_back(own_array("moved/step", std::move(moves.steps)));
  return outcome;
}

bool Clustered::forget(std::span<const UnitId> units, const UnitFacts& /*left*/, BlockWorkers& /*workers*/) {
  drop_units(cluster_of_, units);
  codes_.forget(units);
  return false;
}

std::uint64_t Clustered::bytes() const {
  std::uint64_t sum = units() * sizeof(ClusterId) + codes_.bytes();
  for (const Cluster& cluster : clusters_) {
    sum += sizeof cluster.attribute + sizeof cluster.category + sizeof(std::uint32_t);
    const auto vectors = static_cast<std::uint64_t>(cluster.basis.rows());
    sum += vectors * sizeof(float);  // accumulators
    sum += vectors * (precision_ == Precision::int8 ? dimension_ + sizeof(std::uint16_t) : dimension_ * sizeof(float));
  }
  return sum;
}

double Clustered::bytes_per_new_unit() const {
  const double codes = units() > 0 ? static_cast<double>(codes_.bytes()) / static_cast<double>(units()) : 0;
  return codes + sizeof(ClusterId);
}

}  // namespace meteor
