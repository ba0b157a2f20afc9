#include "compression/clusters/subspace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compression/block_checks.h"
#include "compression/clusters/basis.h"

namespace meteor {
namespace {

constexpr int kRounds = 10;
constexpr double kSettled = 0.005;     // of the points moved: what is left to gain is small
constexpr Eigen::Index kBlock = 1024;  // points whose energies are computed together

using Members = std::vector<std::vector<Eigen::Index>>;  // of each cluster, ascending

Members members_of(std::span<const std::uint32_t> cluster_of) {
  Members members(*std::max_element(cluster_of.begin(), cluster_of.end()) + std::size_t{1});
  for (std::size_t i = 0; i < cluster_of.size(); ++i) members[cluster_of[i]].push_back(static_cast<Eigen::Index>(i));
  return members;
}

/// The bases of all clusters, end to end.
RowMatrix fit_bases(const RowMatrix& points, std::span<const float> weights, const Members& members,
                    std::span<const std::uint32_t> vectors, BlockWorkers& workers) {
  std::vector<WorkBlock> blocks;
  for (std::size_t c = 0; c < members.size(); ++c) {
    const auto make = [&,
                       c]() -> std::vector<Array> {  // not before it is needed, so that not all points are held twice
      std::vector<float> weight;
      for (const Eigen::Index i : members[c]) weight.push_back(weights[static_cast<std::size_t>(i)]);
      return {own_rows("points", points(members[c], Eigen::all)), own_array("weight", std::move(weight)),
              own_array("vectors", std::vector<std::uint32_t>{vectors[c]})};
    };
    const auto directions = static_cast<double>(std::min(static_cast<std::size_t>(points.cols()), members[c].size()));
    blocks.push_back({{}, std::pow(directions, 3) + static_cast<double>(members[c].size()), make});
  }
  const auto fitted = workers.share_out(std::move(blocks))->map(kFitSubspace, {});
  RowMatrix bases(std::accumulate(vectors.begin(), vectors.end(), Eigen::Index{0}), points.cols());
  Eigen::Index filled = 0;
  for (const auto& result : fitted) {
    const auto basis = matrix_of(find_array(result, "basis"));
    bases.middleRows(filled, basis.rows()) = basis;
    filled += basis.rows();
  }
  return bases;
}

/// Lets each point move to its nearest subspace and tells how many did.
std::size_t move_points(SharedBlocks& points, const RowMatrix& bases, std::span<const std::uint32_t> vectors,
                        std::vector<std::uint32_t>& cluster_of) {
  std::vector<std::size_t> sizes(vectors.size());
  for (const std::uint32_t cluster : cluster_of) ++sizes[cluster];
  const Array shared[] = {view_rows("bases", bases), view_array("sizes", vectors)};
  std::size_t moved = 0;
  std::size_t point = 0;
  for (const auto& block : points.map(kNearestSubspaces, shared)) {
    const auto energies = find_array(block, "energy").as<float>();
    const auto nearest = find_array(block, "cluster").as<std::uint32_t>();
    for (std::size_t i = 0; i < nearest.size(); ++i, ++point) {
      std::uint32_t& cluster = cluster_of[point];
      if (nearest[i] == cluster || energies[i] <= 0 || sizes[cluster] == 1) continue;
      --sizes[cluster];
      cluster = nearest[i];
      ++sizes[cluster];
      ++moved;
    }
  }
  return moved;
}

std::vector<Array> nearest_subspaces_of_block(std::span<const Array> block, std::span<const Array> shared) {
  const auto points = matrix_of(find_array(block, "points"));
  const auto sizes = find_array(shared, "sizes").as<std::uint32_t>();
  const RowMatrix projections = row_products(points, matrix_of(find_array(shared, "bases")));
  std::vector<std::uint32_t> nearest(static_cast<std::size_t>(points.rows()));
  std::vector<float> most(nearest.size(), -1);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    Eigen::Index first = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      float energy = 0;
      for (std::uint32_t v = 0; v < sizes[c]; ++v, ++first) {
        const float x = projections(static_cast<Eigen::Index>(i), first);
        energy += x * x;
      }
      if (energy <= most[i]) continue;
      most[i] = energy;
      nearest[i] = static_cast<std::uint32_t>(c);
    }
  }
  return {own_array("cluster", std::move(nearest)), own_array("energy", std::move(most))};
}

std::vector<Array> fit_subspace_block(std::span<const Array> block, std::span<const Array> /*shared*/) {
  return {own_rows("basis",
                   leading_directions(matrix_of(find_array(block, "points")), find_array(block, "weight").as<float>(),
                                      find_array(block, "vectors").as<std::uint32_t>()[0]))};
}

void require_subspaces(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  count_points(block, dimension);
  const auto sizes = find_array(shared, "sizes").as<std::uint32_t>();
  const std::size_t vectors = count_rows(shared, "bases", dimension);
  require_of("sizes", !sizes.empty() && std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) == vectors,
             "does not share out the basis vectors");
}

void require_nearest(const BlockOutline& block, std::span<const Array> shared, std::span<const Array> result) {
  so_many<float>(block.rows, result, "energy");
  require_below(so_many<std::uint32_t>(block.rows, result, "cluster"), find_array(shared, "sizes").elements(),
                "cluster");
}

void require_points(std::span<const Array> block, std::span<const Array> /*shared*/, std::size_t dimension) {
  require_fittable(block, dimension);
}

void require_basis(const BlockOutline& block, std::span<const Array> /*shared*/, std::span<const Array> result) {
  require_matrix(result, "basis", block.vectors, block.width);
}

}  // namespace

const BlockJob kNearestSubspaces{"nearest subspaces", nearest_subspaces_of_block, require_subspaces, require_nearest};
const BlockJob kFitSubspace{"fit subspace", fit_subspace_block, require_points, require_basis};

std::vector<std::uint32_t> move_to_subspaces(const RowMatrix& points, std::span<const float> weights,
                                             std::vector<std::uint32_t> cluster_of, std::size_t vectors_each,
                                             BlockWorkers& workers) {
  std::vector<WorkBlock> blocks;
  for (Eigen::Index first = 0; first < points.rows(); first += kBlock) {
    const Eigen::Index count = std::min(kBlock, points.rows() - first);
    blocks.push_back({{view_rows("points", points, first, count)}, static_cast<double>(count)});
  }
  const auto shared_points = workers.share_out(std::move(blocks));
  const std::size_t most = std::min(vectors_each, static_cast<std::size_t>(points.cols()));
  for (int round = 0; round < kRounds; ++round) {
    const Members members = members_of(cluster_of);
    std::vector<std::uint32_t> vectors;
    for (const auto& list : members) vectors.push_back(static_cast<std::uint32_t>(std::min(most, list.size())));
    const RowMatrix bases = fit_bases(points, weights, members, vectors, workers);
    const std::size_t moved = move_points(*shared_points, bases, vectors, cluster_of);
    if (static_cast<double>(moved) <= kSettled * static_cast<double>(cluster_of.size())) break;
  }
  return cluster_of;
}

}  // namespace meteor
