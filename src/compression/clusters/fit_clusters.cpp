#include "compression/clusters/fit_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compression/block_checks.h"
#include "compression/clusters/basis.h"
#include "compression/clusters/cluster_refit.h"
#include "compression/clusters/subspace.h"
#include "compression/gather_rows.h"
#include "compression/kmeans.h"
#include "model/unit_blocks.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t kClusterStarts = 0x6b6d6561;
constexpr std::size_t kSharedBasisSample = 10000;
constexpr std::size_t kFittedTogether = 100000;  // units, so that not all points are held twice

/// A unit's energy weighs the root of its count: what is asked for often should lose least, and the many units seen
/// once or twice are mostly noise.
std::vector<float> weights_of(const Model& pretrained, std::span<const UnitId> units) {
  std::vector<float> weights;
  weights.reserve(units.size());
  for (UnitId unit : units) weights.push_back(std::pow(static_cast<float>(pretrained.counts[index(unit)]), 0.25F));
  return weights;
}

/// A cluster for each category that has a unit here; units without one go to the nearest.
Clustering cluster_by_category(const RowMatrix& points, std::span<const CategoryKey> category_of,
                               std::vector<CategoryKey>& keys) {
  std::map<CategoryKey, std::uint32_t> cluster_of_category;
  for (CategoryKey key : category_of) {
    if (key != CategoryKey::none) cluster_of_category.emplace(key, 0);
  }
  for (auto& [key, cluster] : cluster_of_category) {
    cluster = static_cast<std::uint32_t>(keys.size());
    keys.push_back(key);
  }
  Clustering result{RowMatrix::Zero(static_cast<Eigen::Index>(keys.size()), points.cols()), {}};
  std::vector<float> sizes(keys.size());
  for (std::size_t i = 0; i < category_of.size(); ++i) {
    if (category_of[i] == CategoryKey::none) continue;
    const std::uint32_t cluster = cluster_of_category[category_of[i]];
    result.centroids.row(cluster) += points.row(static_cast<Eigen::Index>(i));
    sizes[cluster] += 1;
  }
  for (std::size_t c = 0; c < sizes.size(); ++c) result.centroids.row(static_cast<Eigen::Index>(c)) /= sizes[c];
  result.cluster_of = nearest_centroids(points, result.centroids);
  for (std::size_t i = 0; i < category_of.size(); ++i) {
    if (category_of[i] != CategoryKey::none) result.cluster_of[i] = cluster_of_category[category_of[i]];
  }
  return result;
}

/// For an attribute that pretraining did not see: one cluster whose basis is that of all units.
Cluster shared_cluster(const Model& pretrained, const Uncompressed& space, AttributeId attribute,
                       double basis_vectors) {
  std::vector<UnitId> sampled;
  const std::size_t step = pretrained.units() / kSharedBasisSample + 1;
  for (std::size_t i = 0; i < pretrained.units(); i += step) sampled.push_back(UnitId{static_cast<std::uint32_t>(i)});
  const RowMatrix points = gather_rows(space, sampled);
  const std::uint32_t size[] = {static_cast<std::uint32_t>(points.rows())};
  const auto vectors = allocate_basis(size, basis_vectors, BasisSharing::weighted, pretrained.dimension)[0];
  return {attribute, CategoryKey::none, leading_directions(points, weights_of(pretrained, sampled), vectors),
          Eigen::VectorXf::Zero(vectors)};
}

/// The clusters of an attribute's points, and the category of each.
Clustering find_clusters(const RowMatrix& points, std::span<const CategoryKey> category_of,
                         const AttributeSettings& attribute, AttributeId id, const CompressionSettings& settings,
                         std::uint64_t seed, BlockWorkers& workers, std::vector<CategoryKey>& keys) {
  if (attribute.clusters == ClusterSource::categories) {
    if (std::all_of(category_of.begin(), category_of.end(), [](CategoryKey key) { return key == CategoryKey::none; })) {
      throw UsageError(fmt::format("{}: none of the units of attribute {} has a category there",
                                   attribute.categories.string(), attribute.name));
    }
    return cluster_by_category(points, category_of, keys);
  }
  Random random{seed, kClusterStarts, index(id)};
  const double wanted = std::round(settings.cluster_fraction * static_cast<double>(points.rows()));
  Clustering found = kmeans(points, static_cast<std::size_t>(std::max(1.0, wanted)), random, workers);
  keys.assign(static_cast<std::size_t>(found.centroids.rows()), CategoryKey::none);
  return found;
}

/// Clusters with their units and those units' codes.
struct FittedClusters {
  std::vector<Cluster> clusters;
  std::vector<std::vector<UnitId>> units;
  std::vector<RowMatrix> codes;

  std::unique_ptr<Clustered> compressed(std::size_t dimension, float lambda, Precision precision) && {
    auto result = std::make_unique<Clustered>(dimension, lambda, std::move(clusters), precision);
    for (std::size_t c = 0; c < units.size(); ++c) {
      for (std::size_t i = 0; i < units[c].size(); ++i) {
        const auto code = codes[c].row(static_cast<Eigen::Index>(i));
        result->set_unit(units[c][i], static_cast<ClusterId>(c), {code.data(), static_cast<std::size_t>(code.size())});
      }
    }
    return result;
  }
};

std::vector<Array> fit_cluster_block(std::span<const Array> block, std::span<const Array> shared) {
  const auto points = matrix_of(find_array(block, "points"));
  const std::size_t vectors = find_array(block, "vectors").as<std::uint32_t>()[0];
  Cluster cluster;
  cluster.basis = leading_directions(points, find_array(block, "weight").as<float>(), vectors);
  cluster.accumulators = Eigen::VectorXf::Zero(cluster.basis.rows());
  const auto rows = [&](std::size_t begin, std::size_t count) -> RowMatrix {
    return points.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(count));
  };
  ClusterRefit refit = refit_cluster(cluster, static_cast<std::size_t>(points.rows()), rows, shared_lambda(shared),
                                     BasisStep::stay, shared_precision(shared));
  return {own_rows("basis", std::move(cluster.basis)), own_rows("accumulator", cluster.accumulators),
          own_rows("codes", std::move(refit.codes))};
}

void require_cluster(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  require_fittable(block, dimension);
  require_refit_settings(shared);
}

void require_fit(const BlockOutline& block, std::span<const Array> /*shared*/, std::span<const Array> result) {
  require_matrix(result, "basis", block.vectors, block.width);
  require_matrix(result, "accumulator", block.vectors, 1);
  require_matrix(result, "codes", block.rows, block.vectors);
}

}  // namespace

const BlockJob kFitCluster{"fit cluster", fit_cluster_block, require_cluster, require_fit};

std::unique_ptr<Clustered> fit_clusters(const Model& pretrained, const Uncompressed& space,
                                        std::span<const CategoryKey> categories,
                                        std::span<const AttributeSettings> attributes,
                                        const CompressionSettings& settings, std::uint64_t seed,
                                        BlockWorkers& workers) {
  if (pretrained.units() == 0)
    throw UsageError("pretraining saw no units: give it a longer part with evaluation.pretrain");
  const auto lambda = static_cast<float>(settings.lambda);
  FittedClusters fitted;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const auto attribute = static_cast<AttributeId>(a);
    const std::vector<UnitId> units = units_of(pretrained, attribute);
    if (units.empty()) {
      fitted.clusters.push_back(
          shared_cluster(pretrained, space, attribute, settings.basis_fraction / settings.cluster_fraction));
      fitted.units.emplace_back();
      fitted.codes.emplace_back();
      continue;
    }
    const RowMatrix points = gather_rows(space, units);
    std::vector<CategoryKey> category_of;
    category_of.reserve(units.size());
    for (UnitId unit : units) category_of.push_back(categories[index(unit)]);
    std::vector<CategoryKey> keys;
    std::vector<std::uint32_t> cluster_of =
        find_clusters(points, category_of, attributes[a], attribute, settings, seed, workers, keys).cluster_of;
    const double basis_vectors = settings.basis_fraction * static_cast<double>(units.size());
    if (settings.clusters == ClusterKind::subspace && attributes[a].clusters == ClusterSource::fitted) {
      const double each = std::round(basis_vectors / static_cast<double>(keys.size()));
      cluster_of = move_to_subspaces(points, weights_of(pretrained, units), std::move(cluster_of),
                                     static_cast<std::size_t>(std::max(1.0, each)), workers);
    }

    std::vector<std::vector<UnitId>> members(keys.size());
    for (std::size_t i = 0; i < units.size(); ++i) members[cluster_of[i]].push_back(units[i]);
    std::vector<std::uint32_t> sizes;
    sizes.reserve(members.size());
    for (const auto& list : members) sizes.push_back(static_cast<std::uint32_t>(list.size()));
    const auto vectors = allocate_basis(sizes, basis_vectors, settings.allocation, pretrained.dimension);
    for (std::size_t first = 0, end = 0; first < members.size(); first = end) {
      std::vector<WorkBlock> blocks;
      for (std::size_t rows = 0; end < members.size() && rows < kFittedTogether; ++end) {
        const double directions = std::min<double>(pretrained.dimension, static_cast<double>(members[end].size()));
        const double solver = std::pow(directions, 3);
        blocks.push_back({{own_rows("points", gather_rows(space, members[end])),
                           own_array("weight", weights_of(pretrained, members[end])),
                           own_array("vectors", std::vector<std::uint32_t>{vectors[end]})},
                          10 * solver + refit_cost(members[end].size(), vectors[end], pretrained.dimension)});
        rows += members[end].size();
      }
      const std::vector<Array> shared = shared_refit_settings(lambda, settings.precision);
      const auto results = workers.share_out(std::move(blocks))->map(kFitCluster, shared);
      for (std::size_t c = first; c < end; ++c) {
        const auto& result = results[c - first];
        fitted.clusters.push_back(
            {attribute, keys[c], matrix_of(find_array(result, "basis")), matrix_of(find_array(result, "accumulator"))});
        fitted.units.push_back(std::move(members[c]));
        fitted.codes.emplace_back(matrix_of(find_array(result, "codes")));
      }
    }
  }
  return std::move(fitted).compressed(pretrained.dimension, lambda, settings.precision);
}

}  // namespace meteor
