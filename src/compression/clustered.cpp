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
constexpr std::size_t kPlacedTogether = 1024;  // new units

/// The codes of all rows over a basis.
RowMatrix solve_codes(const RowMatrix& basis, const RowMatrix& rows, float lambda) {
  const Eigen::MatrixXf gram = row_products(basis, basis);
  const RowMatrix projections = row_products(rows, basis);
  RowMatrix codes(rows.rows(), basis.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) lasso(gram, projections.row(i), lambda, codes.row(i));
  return codes;
}

/// Lasso takes what is not a number for zero, and AdaGrad's accumulators would never recover from it.
void refuse_broken(std::uint64_t window, std::span<const UnitId> units, const AlignedRows& rows) {
  const ConstRows all = rows_of(rows);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (all.row(static_cast<Eigen::Index>(i)).allFinite()) continue;
    throw NumericError(fmt::format("window {}: the embedding of unit {} is not finite", window, index(units[i])));
  }
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
  const ConstRows all = rows_of(update.rows);
  for (const auto& [attribute, members] : uncategorised) {
    for (std::size_t begin = 0; begin < members.size(); begin += kPlacedTogether) {
      const std::size_t count = std::min(kPlacedTogether, members.size() - begin);
      RowMatrix rows(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(dimension_));
      for (std::size_t i = 0; i < count; ++i) {
        rows.row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(members[begin + i]));
      }
      const auto nearest = nearest_clusters(attribute, rows);
      for (std::size_t i = 0; i < count; ++i) cluster_of_[index(update.units[members[begin + i]])] = nearest[i];
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
  const ConstRows all = rows_of(rows);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const ClusterId cluster = cluster_at(begin);
    while (end < order.size() && cluster_at(end) == cluster) ++end;
    std::vector<UnitId> members;
    RowMatrix member_rows(static_cast<Eigen::Index>(end - begin), static_cast<Eigen::Index>(dimension_));
    for (std::size_t i = begin; i < end; ++i) {
      members.push_back(units[order[i]]);
      member_rows.row(static_cast<Eigen::Index>(i - begin)) = all.row(static_cast<Eigen::Index>(order[i]));
    }
    const CompressionOutcome part = refit_cluster(clusters_[index(cluster)], members, member_rows, basis_step);
    outcome.squared_error += part.squared_error;
    outcome.squared_norm += part.squared_norm;
    if (!clusters_[index(cluster)].basis.allFinite()) {
      throw NumericError(fmt::format("window {}: the basis of cluster {} is not finite", window, index(cluster)));
    }
  }
  return outcome;
}

CompressionOutcome Clustered::refit_cluster(Cluster& cluster, std::span<const UnitId> units, const RowMatrix& rows,
                                            BasisStep basis_step) {
  RowMatrix codes = solve_codes(cluster.basis, rows, lambda_);
  RowMatrix errors = codes * cluster.basis - rows;
  // AdaGrad, a unit a step: the gradient that unit x gives basis vector j is 2·w_xj·e_x.
  const Eigen::VectorXf mean_squares = errors.rowwise().squaredNorm() / static_cast<float>(dimension_);
  cluster.accumulators += 4.0F * codes.cwiseAbs2().transpose() * mean_squares;
  if (basis_step == BasisStep::move) {
    const RowMatrix gradient = 2.0F * codes.transpose() * errors;
    for (Eigen::Index j = 0; j < cluster.basis.rows(); ++j) {
      if (cluster.accumulators[j] > 0) {
        cluster.basis.row(j) -= kBasisRate / std::sqrt(cluster.accumulators[j]) * gradient.row(j);
      }
    }
    codes = solve_codes(cluster.basis, rows, lambda_);
    errors = codes * cluster.basis - rows;
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    codes_.set(units[i], {codes.row(static_cast<Eigen::Index>(i)).data(), static_cast<std::size_t>(codes.cols())});
  }
  return {.squared_error = errors.squaredNorm(), .squared_norm = rows.squaredNorm()};
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

std::vector<Array> Clustered::arrays() const {
  std::vector<std::uint16_t> attributes;
  std::vector<std::uint64_t> categories;
  std::vector<std::uint32_t> sizes;
  std::vector<float> bases;
  std::vector<float> accumulators;
  for (const Cluster& cluster : clusters_) {
    attributes.push_back(static_cast<std::uint16_t>(cluster.attribute));
    categories.push_back(static_cast<std::uint64_t>(cluster.category));
    sizes.push_back(static_cast<std::uint32_t>(cluster.basis.rows()));
    bases.insert(bases.end(), cluster.basis.data(), cluster.basis.data() + cluster.basis.size());
    accumulators.insert(accumulators.end(), cluster.accumulators.data(),
                        cluster.accumulators.data() + cluster.accumulators.size());
  }
  const std::uint64_t vectors = accumulators.size();
  static_assert(sizeof(ClusterId) == sizeof(std::uint32_t));
  std::vector<Array> all;
  all.push_back({"embeddings/cluster", ElementType::u32, {units()}, cluster_of_.data()});
  for (Array& array : codes_.arrays("embeddings/")) all.push_back(std::move(array));
  all.push_back(own_array("embeddings/clusters/attribute", std::move(attributes)));
  all.push_back(own_array("embeddings/clusters/category", std::move(categories)));
  all.push_back(own_array("embeddings/clusters/basis_vectors", std::move(sizes)));
  all.push_back(own_array("embeddings/basis", std::move(bases)));
  all.back().shape = {vectors, dimension_};
  all.push_back(own_array("embeddings/basis_accumulator", std::move(accumulators)));
  return all;
}

Clustered::Clustered(std::size_t dimension, float lambda, std::span<const Array> arrays)
    : dimension_(dimension), lambda_(lambda) {
  const auto attributes = find_array(arrays, "embeddings/clusters/attribute").as<std::uint16_t>();
  const auto categories = find_array(arrays, "embeddings/clusters/category").as<std::uint64_t>();
  const auto sizes = find_array(arrays, "embeddings/clusters/basis_vectors").as<std::uint32_t>();
  const auto bases = find_array(arrays, "embeddings/basis").as<float>();
  const auto accumulators = find_array(arrays, "embeddings/basis_accumulator").as<float>();
  const std::uint64_t vectors = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  const std::size_t count = attributes.size();
  if (categories.size() != count || sizes.size() != count || bases.size() != vectors * dimension ||
      accumulators.size() != vectors) {
    throw StorageError("the arrays of clusters do not fit together");
  }
  const auto d = static_cast<Eigen::Index>(dimension);
  std::size_t first = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const auto rows = static_cast<Eigen::Index>(sizes[c]);
    clusters_.push_back({static_cast<AttributeId>(attributes[c]), static_cast<CategoryKey>(categories[c]),
                         Eigen::Map<const RowMatrix>(bases.data() + first * dimension, rows, d),
                         Eigen::Map<const Eigen::VectorXf>(accumulators.data() + first, rows)});
    first += sizes[c];
  }
  std::vector<std::uint32_t> code_sizes;
  for (std::uint32_t cluster : find_array(arrays, "embeddings/cluster").as<std::uint32_t>()) {
    if (cluster >= count) throw StorageError("a unit belongs to a cluster that does not exist");
    cluster_of_.push_back(static_cast<ClusterId>(cluster));
    code_sizes.push_back(sizes[cluster]);
  }
  codes_ = CodeStore("embeddings/", arrays, code_sizes);
}

}  // namespace meteor
