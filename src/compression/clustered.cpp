#include "compression/clustered.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "compression/lasso.h"

namespace meteor {
namespace {

constexpr float kBasisRate = 0.03F;
constexpr float kBasisEpsilon = 1e-8F;  // a basis without error stays where it is
constexpr std::size_t kSolvedTogether = 512;
constexpr std::size_t kPlacedTogether = 1024;  // new units

RowMatrix gather(const AlignedRows& rows, std::span<const std::size_t> places) {
  RowMatrix gathered(static_cast<Eigen::Index>(places.size()), static_cast<Eigen::Index>(rows.width()));
  const ConstRows all = rows_of(rows);
  for (std::size_t i = 0; i < places.size(); ++i) {
    gathered.row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(places[i]));
  }
  return gathered;
}

/// The codes of all rows over a basis.
RowMatrix solve_codes(const RowMatrix& basis, const RowMatrix& rows, float lambda) {
  return lasso(row_products(basis, basis), row_products(rows, basis), lambda);
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

CompressionOutcome Clustered::absorb(const WindowUpdate& update) {
  refuse_broken(update.window, update.units, update.rows);
  const std::size_t known = units();
  std::size_t highest = known;
  for (UnitId unit : update.units) highest = std::max(highest, index(unit) + 1);
  grow(highest);
  place_new_units(update, known);
  return refit(update.window, update.units, update.rows, BasisStep::move);
}

CompressionOutcome Clustered::take_over(std::span<const UnitId> units, std::span<const ClusterId> clusters,
                                        const AlignedRows& rows) {
  refuse_broken(0, units, rows);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (index(units[i]) >= this->units()) grow(index(units[i]) + 1);
    cluster_of_[index(units[i])] = clusters[i];
  }
  return refit(0, units, rows, BasisStep::stay);
}

CompressionOutcome Clustered::refit(std::uint64_t window, std::span<const UnitId> units, const AlignedRows& rows,
                                    BasisStep basis_step) {
  std::vector<std::size_t> order(units.size());  // rows of a cluster together
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto cluster_at = [&](std::size_t i) { return cluster_of_[index(units[order[i]])]; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cluster_of_[index(units[a])] < cluster_of_[index(units[b])];
  });
  CompressionOutcome outcome;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const ClusterId cluster = cluster_at(begin);
    while (end < order.size() && cluster_at(end) == cluster) ++end;
    const CompressionOutcome part =
        refit_cluster(clusters_[index(cluster)], std::span(order).subspan(begin, end - begin), units, rows, basis_step);
    outcome.squared_error += part.squared_error;
    outcome.squared_norm += part.squared_norm;
    if (!clusters_[index(cluster)].basis.allFinite()) {
      throw NumericError(fmt::format("window {}: the basis of cluster {} is not finite", window, index(cluster)));
    }
  }
  return outcome;
}

CompressionOutcome Clustered::refit_cluster(Cluster& cluster, std::span<const std::size_t> members,
                                            std::span<const UnitId> units, const AlignedRows& rows,
                                            BasisStep basis_step) {
  // Solves the members' codes, some at a time so that little memory is needed, and hands them on with what they miss.
  const auto encode = [&](auto&& use) {
    for (std::size_t begin = 0; begin < members.size(); begin += kSolvedTogether) {
      const auto block = members.subspan(begin, std::min(kSolvedTogether, members.size() - begin));
      const RowMatrix targets = gather(rows, block);
      const RowMatrix codes = solve_codes(cluster.basis, targets, lambda_);
      use(block, targets, codes, codes * cluster.basis - targets);
    }
  };
  // AdaGrad, a unit a step: the gradient that unit x gives basis vector j is 2·w_xj·e_x.
  RowMatrix gradient = RowMatrix::Zero(cluster.basis.rows(), cluster.basis.cols());
  encode([&](auto, const RowMatrix&, const RowMatrix& codes, const RowMatrix& errors) {
    const Eigen::VectorXf mean_squares = errors.rowwise().squaredNorm() / static_cast<float>(dimension_);
    cluster.accumulators += 4.0F * codes.cwiseAbs2().transpose() * mean_squares;
    if (basis_step == BasisStep::move) gradient += 2.0F * codes.transpose() * errors;
  });
  const Eigen::VectorXf rates = kBasisRate * (cluster.accumulators.array() + kBasisEpsilon).rsqrt();
  cluster.basis -= rates.asDiagonal() * gradient;

  CompressionOutcome outcome;
  encode([&](auto block, const RowMatrix& targets, const RowMatrix& codes, const RowMatrix& errors) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      codes_.set(units[block[i]],
                 {codes.row(static_cast<Eigen::Index>(i)).data(), static_cast<std::size_t>(codes.cols())});
    }
    outcome.squared_error += errors.squaredNorm();
    outcome.squared_norm += targets.squaredNorm();
  });
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
