#include "compression/fit_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compression/basis.h"
#include "compression/kmeans.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t kClusterStarts = 0x6b6d6561;
constexpr std::size_t kSharedBasisSample = 10000;

RowMatrix gather(const Uncompressed& space, std::span<const UnitId> units) {
  const auto first = space.row(UnitId{0});
  RowMatrix rows(static_cast<Eigen::Index>(units.size()), static_cast<Eigen::Index>(first.size()));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto row = space.row(units[i]);
    rows.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXf>(row.data(), static_cast<Eigen::Index>(row.size()));
  }
  return rows;
}

/// The leading directions of units. A unit's energy weighs the root of its count: what is asked for often should lose
/// least, and the many units seen once or twice are mostly noise.
RowMatrix fit_basis(const Model& pretrained, RowMatrix points, std::span<const UnitId> units, std::size_t vectors) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    points.row(static_cast<Eigen::Index>(i)) *= std::pow(static_cast<float>(pretrained.counts[index(units[i])]), 0.25F);
  }
  return leading_directions(points, vectors);
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
Clustered::Cluster shared_cluster(const Model& pretrained, const Uncompressed& space, AttributeId attribute,
                                  double basis_vectors) {
  std::vector<UnitId> sampled;
  const std::size_t step = pretrained.units() / kSharedBasisSample + 1;
  for (std::size_t i = 0; i < pretrained.units(); i += step) sampled.push_back(UnitId{static_cast<std::uint32_t>(i)});
  const RowMatrix points = gather(space, sampled);
  const std::uint32_t size[] = {static_cast<std::uint32_t>(points.rows())};
  const auto vectors = allocate_basis(size, basis_vectors, BasisSharing::weighted, pretrained.dimension)[0];
  return {attribute, CategoryKey::none, fit_basis(pretrained, points, sampled, vectors),
          Eigen::VectorXf::Zero(vectors)};
}

}  // namespace

std::unique_ptr<Clustered> fit_clusters(const Model& pretrained, const Uncompressed& space,
                                        std::span<const CategoryKey> categories,
                                        std::span<const AttributeSettings> attributes,
                                        const CompressionSettings& settings, std::uint64_t seed) {
  if (pretrained.units() == 0)
    throw UsageError("pretraining saw no units: give it a longer part with evaluation.pretrain");
  std::vector<std::vector<UnitId>> units_of(attributes.size());
  for (std::size_t i = 0; i < pretrained.units(); ++i) {
    units_of[index(pretrained.attributes[i])].push_back(UnitId{static_cast<std::uint32_t>(i)});
  }

  std::vector<Clustered::Cluster> clusters;
  std::vector<UnitId> units;
  std::vector<ClusterId> cluster_of;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const auto attribute = static_cast<AttributeId>(a);
    if (units_of[a].empty()) {
      clusters.push_back(
          shared_cluster(pretrained, space, attribute, settings.basis_fraction / settings.cluster_fraction));
      continue;
    }
    const RowMatrix points = gather(space, units_of[a]);
    const auto n = static_cast<double>(points.rows());
    std::vector<CategoryKey> category_of;
    for (UnitId unit : units_of[a]) category_of.push_back(categories[index(unit)]);
    const bool categorised =
        std::any_of(category_of.begin(), category_of.end(), [](CategoryKey key) { return key != CategoryKey::none; });
    if (attributes[a].clusters == ClusterSource::categories && !categorised) {
      throw UsageError(fmt::format("{}: none of the units of attribute {} has a category there",
                                   attributes[a].categories.string(), attributes[a].name));
    }
    std::vector<CategoryKey> keys;
    Clustering found;
    if (attributes[a].clusters == ClusterSource::categories) {
      found = cluster_by_category(points, category_of, keys);
    } else {
      Random random{seed, kClusterStarts, a};
      found =
          kmeans(points, static_cast<std::size_t>(std::max(1.0, std::round(settings.cluster_fraction * n))), random);
      keys.assign(static_cast<std::size_t>(found.centroids.rows()), CategoryKey::none);
    }

    std::vector<std::vector<UnitId>> members(keys.size());
    for (std::size_t i = 0; i < units_of[a].size(); ++i) {
      members[found.cluster_of[i]].push_back(units_of[a][i]);
      units.push_back(units_of[a][i]);
      cluster_of.push_back(static_cast<ClusterId>(clusters.size() + found.cluster_of[i]));
    }
    std::vector<std::uint32_t> sizes;
    sizes.reserve(members.size());
    for (const auto& list : members) sizes.push_back(static_cast<std::uint32_t>(list.size()));
    const auto vectors = allocate_basis(sizes, settings.basis_fraction * n, settings.allocation, pretrained.dimension);
    for (std::size_t c = 0; c < members.size(); ++c) {
      clusters.push_back({attribute, keys[c], fit_basis(pretrained, gather(space, members[c]), members[c], vectors[c]),
                          Eigen::VectorXf::Zero(vectors[c])});
    }
  }

  auto fitted =
      std::make_unique<Clustered>(pretrained.dimension, static_cast<float>(settings.lambda), std::move(clusters));
  AlignedRows rows(units.size(), pretrained.dimension);
  space.decode(units, rows);
  fitted->take_over(units, cluster_of, rows);
  return fitted;
}

}  // namespace meteor
