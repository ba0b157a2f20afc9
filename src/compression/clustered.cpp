#include "compression/clustered.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "support/threads.h"

namespace meteor {
namespace {

constexpr std::size_t kPlacedTogether = 1024;  // new units

RowMatrix gather(const AlignedRows& rows, std::span<const std::size_t> places) {
  RowMatrix gathered(static_cast<Eigen::Index>(places.size()), static_cast<Eigen::Index>(rows.width()));
  const ConstRows all = rows_of(rows);
  for (std::size_t i = 0; i < places.size(); ++i) {
    gathered.row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(places[i]));
  }
  return gathered;
}

/// How much of each row's energy lies in the span of the basis, whose vectors need be neither orthogonal nor of unit
/// length.
Eigen::VectorXf captured_energy(const RowMatrix& basis, const RowMatrix& rows) {
  Eigen::MatrixXf gram = row_products(basis, basis);
  gram.diagonal().array() +=
      1e-6F * gram.trace() + std::numeric_limits<float>::min();  // where vectors depend on others
  Eigen::MatrixXf projections = row_products(rows, basis).transpose();
  gram.llt().matrixL().solveInPlace(projections);  // onto an orthonormal basis of the span
  return projections.colwise().squaredNorm();
}

/// Lasso takes what is not a number for zero, and AdaGrad's accumulators would never recover from it.
void refuse_broken(std::uint64_t window, std::span<const UnitId> units, const AlignedRows& rows) {
  const ConstRows all = rows_of(rows);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (all.row(static_cast<Eigen::Index>(i)).allFinite()) continue;
    throw NumericError(fmt::format("window {}: the embedding of unit {} is not finite", window, index(units[i])));
  }
}

}  // namespace

Clustered::Clustered(std::size_t dimension, float lambda, std::vector<Cluster> clusters)
    : dimension_(dimension), lambda_(lambda), clusters_(std::move(clusters)) {}

void Clustered::grow(std::size_t units) {
  cluster_of_.resize(units);
  codes_.grow(units);
}

void Clustered::decode(std::span<const UnitId> units, AlignedRows& rows) const {
  Eigen::RowVectorXf code;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Cluster& cluster = clusters_[index(cluster_of_[index(units[i])])];
    code.resize(cluster.basis.rows());
    codes_.get(units[i], {code.data(), static_cast<std::size_t>(code.size())});
    Eigen::Map<Eigen::RowVectorXf>(rows.row(i).data(), static_cast<Eigen::Index>(dimension_)).noalias() =
        code * cluster.basis;
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
      const auto nearest = nearest_clusters(attribute, gather(update.rows, block));
      for (std::size_t i = 0; i < block.size(); ++i) cluster_of_[index(update.units[block[i]])] = nearest[i];
    }
  }
}

CompressionOutcome Clustered::absorb(const WindowUpdate& update, std::size_t threads) {
  refuse_broken(update.window, update.units, update.rows);
  const std::size_t known = units();
  std::size_t highest = known;
  for (UnitId unit : update.units) highest = std::max(highest, index(unit) + 1);
  grow(highest);
  place_new_units(update, known);
  CompressionOutcome outcome = refit(update, threads);
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

CompressionOutcome Clustered::refit(const WindowUpdate& update, std::size_t threads) {
  std::vector<std::vector<std::size_t>> members(clusters_.size());  // rows of each cluster
  for (std::size_t i = 0; i < update.units.size(); ++i) members[index(cluster_of(update.units[i]))].push_back(i);
  std::vector<ClusterRefit> refits(clusters_.size());
  share_work(threads, clusters_.size(), [&](std::size_t c) {
    if (members[c].empty()) return;
    const auto rows = [&](std::size_t begin, std::size_t count) {
      return gather(update.rows, std::span(members[c]).subspan(begin, count));
    };
    refits[c] = refit_cluster(clusters_[c], members[c].size(), rows, lambda_, BasisStep::move);
    if (!clusters_[c].basis.allFinite()) {
      throw NumericError(fmt::format("window {}: the basis of cluster {} is not finite", update.window, c));
    }
  });

  CompressionOutcome outcome;
  BasisMoves moves;         // of all clusters
  std::uint32_t first = 0;  // vector of the cluster
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    ClusterRefit& refit = refits[c];
    for (std::size_t i = 0; i < members[c].size(); ++i) {
      codes_.set(update.units[members[c][i]],
                 {refit.codes.row(static_cast<Eigen::Index>(i)).data(), static_cast<std::size_t>(refit.codes.cols())});
    }
    outcome.squared_error += refit.squared_error;
    outcome.squared_norm += refit.squared_norm;
    for (const std::uint32_t vector : refit.moves.vectors) moves.vectors.push_back(first + vector);
    moves.scales.insert(moves.scales.end(), refit.moves.scales.begin(), refit.moves.scales.end());
    moves.steps.insert(moves.steps.end(), refit.moves.steps.begin(), refit.moves.steps.end());
    first += static_cast<std::uint32_t>(clusters_[c].basis.rows());
  }
  outcome.changes.push_back(own_array("moved/vector", std::move(moves.vectors)));
  outcome.changes.push_back(own_array("moved/scale", std::move(moves.scales)));
  outcome.changes.push_back(own_array("moved/step", std::move(moves.steps)));
  return outcome;
}

std::uint64_t Clustered::bytes() const {
  std::uint64_t sum = units() * sizeof(ClusterId) + codes_.bytes();
  for (const Cluster& cluster : clusters_) {
    sum += sizeof cluster.attribute + sizeof cluster.category + sizeof(std::uint32_t);
    sum += static_cast<std::uint64_t>(cluster.basis.size() + cluster.accumulators.size()) * sizeof(float);
  }
  return sum;
}

double Clustered::bytes_per_new_unit() const {
  const double codes = units() > 0 ? static_cast<double>(codes_.bytes()) / static_cast<double>(units()) : 0;
  return codes + sizeof(ClusterId);
}

}  // namespace meteor
