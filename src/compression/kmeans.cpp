#include "compression/kmeans.h"
#include "compression/block_checks.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/row_products.h"

namespace meteor {
namespace {

constexpr std::size_t kStartSamplesPerCluster = 30;
constexpr Eigen::Index kBlock = 1024;  // points whose distances are computed together

/// A random choice of `count` of 0 … n − 1, ascending.
std::vector<Eigen::Index> sample(std::size_t n, std::size_t count, Random& random) {
  std::vector<Eigen::Index> chosen;
  for (std::size_t i = 0; i < n && chosen.size() < count; ++i) {  // selection sampling
    if (random.uniform() * static_cast<double>(n - i) < static_cast<double>(count - chosen.size())) {
      chosen.push_back(static_cast<Eigen::Index>(i));
    }
  }
  return chosen;
}

RowMatrix spread_starts(const RowMatrix& points, std::size_t clusters, Random& random) {
  const auto candidates =
      sample(static_cast<std::size_t>(points.rows()), std::max(clusters, kStartSamplesPerCluster * clusters), random);
  AlignedRows pool(candidates.size(), static_cast<std::size_t>(points.cols()));
  Eigen::VectorXf norms(static_cast<Eigen::Index>(candidates.size()));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto point = points.row(candidates[i]);
    std::copy(point.data(), point.data() + point.size(), pool.row(i).begin());
    norms[static_cast<Eigen::Index>(i)] = point.squaredNorm();
  }

  RowMatrix starts(static_cast<Eigen::Index>(clusters), points.cols());
  Eigen::VectorXf distance = Eigen::VectorXf::Constant(norms.size(), std::numeric_limits<float>::max());
  Eigen::VectorXf products(norms.size());
  AlignedRows start(1, static_cast<std::size_t>(points.cols()));
  Eigen::Index chosen = random.below(static_cast<std::uint32_t>(norms.size()));
  for (Eigen::Index c = 0; c < starts.rows(); ++c) {
    starts.row(c) = points.row(candidates[static_cast<std::size_t>(chosen)]);
    std::copy(starts.row(c).data(), starts.row(c).data() + starts.cols(), start.row(0).begin());
    row_products(pool, start, products.data());
    distance = distance.cwiseMin((norms.array() + norms[chosen] - 2.0F * products.array()).max(0.0F).matrix());
    distance[chosen] = 0;  // whatever rounding left
    const double total = distance.cast<double>().sum();
    if (total <= 0) {  // fewer different points than clusters
      chosen = random.below(static_cast<std::uint32_t>(norms.size()));
      continue;
    }
    double left = random.uniform() * total;
    chosen = 0;
    while (chosen + 1 < norms.size() && left >= distance[chosen]) left -= distance[chosen++];
  }
  return starts;
}

using Assignment = NearestCentroids;  // with distances less the point's own squared norm

Assignment assign(const Eigen::Ref<const RowMatrix>& points, const Eigen::Ref<const RowMatrix>& centroids) {
  Assignment result;
  result.cluster_of.resize(static_cast<std::size_t>(points.rows()));
  result.distance.resize(static_cast<std::size_t>(points.rows()));
  const Eigen::RowVectorXf norms = centroids.rowwise().squaredNorm().transpose();
  RowMatrix scores;
  for (Eigen::Index first = 0; first < points.rows(); first += kBlock) {
    const Eigen::Index count = std::min(kBlock, points.rows() - first);
    scores = -2.0F * row_products(points.middleRows(first, count), centroids);
    scores.rowwise() += norms;
    for (Eigen::Index i = 0; i < count; ++i) {
      Eigen::Index best = 0;
      const auto at = static_cast<std::size_t>(first + i);
      result.distance[at] = scores.row(i).minCoeff(&best);
      result.cluster_of[at] = static_cast<std::uint32_t>(best);
    }
  }
  return result;
}

/// Points in blocks, for the workers.
std::unique_ptr<SharedBlocks> share_points(const RowMatrix& points, BlockWorkers& workers) {
  std::vector<WorkBlock> blocks;
  for (Eigen::Index first = 0; first < points.rows(); first += kBlock) {
    const Eigen::Index count = std::min(kBlock, points.rows() - first);
    blocks.push_back({{view_rows("points", points, first, count)}, static_cast<double>(count)});
  }
  return workers.share_out(std::move(blocks));
}

/// The same, by the workers.
Assignment assign(SharedBlocks& points, const RowMatrix& centroids) {
  Assignment result;
  const Array shared[] = {view_rows("centroids", centroids)};
  for (const auto& block : points.map(kNearestCentroids, shared)) {
    const auto clusters = find_array(block, "cluster").as<std::uint32_t>();
    const auto distances = find_array(block, "distance").as<float>();
    result.cluster_of.insert(result.cluster_of.end(), clusters.begin(), clusters.end());
    result.distance.insert(result.distance.end(), distances.begin(), distances.end());
  }
  return result;
}

std::vector<Array> nearest_of_block(std::span<const Array> block, std::span<const Array> shared) {
  Assignment found = assign(matrix_of(find_array(block, "points")), matrix_of(find_array(shared, "centroids")));
  return {own_array("cluster", std::move(found.cluster_of)), own_array("distance", std::move(found.distance))};
}

void require_points(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  count_points(block, dimension);
  require_of("centroids", count_rows(shared, "centroids", dimension) > 0, "has no row");
}

void require_nearest(const BlockOutline& block, std::span<const Array> shared, std::span<const Array> result) {
  so_many<float>(block.rows, result, "distance");
  require_below(so_many<std::uint32_t>(block.rows, result, "cluster"), count_rows(shared, "centroids", block.width),
                "cluster");
}

}  // namespace

const BlockJob kNearestCentroids{"nearest centroids", nearest_of_block, require_points, require_nearest};

std::vector<std::uint32_t> nearest_centroids(const RowMatrix& points, const RowMatrix& centroids) {
  return assign(points, centroids).cluster_of;
}

NearestCentroids nearest_centroids(const RowMatrix& points, const RowMatrix& centroids, BlockWorkers& workers) {
  NearestCentroids nearest = assign(*share_points(points, workers), centroids);
  for (std::size_t i = 0; i < nearest.distance.size(); ++i) {
    nearest.distance[i] += points.row(static_cast<Eigen::Index>(i)).squaredNorm();
  }
  return nearest;
}

Clustering kmeans(const RowMatrix& points, std::size_t clusters, Random& random, BlockWorkers& workers,
                  int iterations) {
  Clustering result{spread_starts(points, clusters, random), {}};
  const auto shared_points = share_points(points, workers);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    Assignment next = assign(*shared_points, result.centroids);
    std::vector<std::uint32_t> sizes(clusters);
    for (std::uint32_t cluster : next.cluster_of) ++sizes[cluster];
    for (std::uint32_t c = 0; c < clusters; ++c) {
      if (sizes[c] > 0) continue;
      std::size_t farthest = 0;
      float most = -std::numeric_limits<float>::max();
      for (std::size_t i = 0; i < next.cluster_of.size(); ++i) {
        const float distance = next.distance[i] + points.row(static_cast<Eigen::Index>(i)).squaredNorm();
        if (sizes[next.cluster_of[i]] > 1 && distance > most) {
          most = distance;
          farthest = i;
        }
      }
      --sizes[next.cluster_of[farthest]];
      next.cluster_of[farthest] = c;
      next.distance[farthest] = -std::numeric_limits<float>::max();
      sizes[c] = 1;
    }
    const bool settled = next.cluster_of == result.cluster_of;
    result.cluster_of = std::move(next.cluster_of);
    if (settled) break;
    result.centroids.setZero();
    for (std::size_t i = 0; i < result.cluster_of.size(); ++i) {
      result.centroids.row(result.cluster_of[i]) += points.row(static_cast<Eigen::Index>(i));
    }
    for (std::uint32_t c = 0; c < clusters; ++c) result.centroids.row(c) /= static_cast<float>(sizes[c]);
  }
  return result;
}

}  // namespace meteor
