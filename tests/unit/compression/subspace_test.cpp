#include "compression/clusters/subspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compression/clusters/basis.h"
#include "compression/kmeans.h"
#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"
#include "model/local_block_workers.h"

namespace meteor {
namespace {

using testing::random_rows;

constexpr std::uint32_t kSubspaces = 4, kPointsOfEach = 150, kPoints = kSubspaces * kPointsOfEach;
constexpr std::size_t kDimension = 20, kDirections = 3;
constexpr double kNoise = 0.03;

/// Points of four random subspaces that all go through the origin, in turn.
RowMatrix planted_points() {
  Random random{1};
  RowMatrix points(kPoints, kDimension);
  for (std::uint32_t s = 0; s < kSubspaces; ++s) {
    const AlignedRows frame = random_rows(kDirections, kDimension, random);
    const AlignedRows inside = random_rows(kPointsOfEach, kDirections, random);
    const AlignedRows noise = random_rows(kPointsOfEach, kDimension, random);
    const RowMatrix rows = RowMatrix(rows_of(inside)) * RowMatrix(rows_of(frame)) + kNoise * RowMatrix(rows_of(noise));
    for (std::uint32_t i = 0; i < kPointsOfEach; ++i) points.row(i * kSubspaces + s) = rows.row(i);
  }
  return points;
}

/// The share of points that are with most points of their own subspace.
double recovered(std::span<const std::uint32_t> cluster_of) {
  std::uint32_t together = 0;
  for (std::uint32_t c = 0; c < kSubspaces; ++c) {
    std::uint32_t of_subspace[kSubspaces] = {};
    for (std::uint32_t i = 0; i < kPoints; ++i) of_subspace[i % kSubspaces] += cluster_of[i] == c;
    together += *std::max_element(of_subspace, of_subspace + kSubspaces);
  }
  return static_cast<double>(together) / kPoints;
}

std::vector<std::uint32_t> nearby_points(const RowMatrix& points, std::size_t clusters = kSubspaces) {
  Random random{2};
  return kmeans(points, clusters, random, this_thread()).cluster_of;
}

std::vector<std::uint32_t> moved(const RowMatrix& points, BlockWorkers& workers, std::size_t clusters = kSubspaces) {
  const std::vector<float> weights(kPoints, 1);
  return move_to_subspaces(points, weights, nearby_points(points, clusters), kDirections, workers);
}

TEST(Subspace, PlantedSubspacesAreFoundThatKMeansDoesNotFind) {
  const RowMatrix points = planted_points();
  EXPECT_LT(recovered(nearby_points(points)), 0.7);
  EXPECT_GT(recovered(moved(points, this_thread())), 0.98);
}

TEST(Subspace, AnyNumberOfThreadsGivesTheSameClusters) {
  const RowMatrix points = planted_points();
  LocalBlockWorkers three(3);
  EXPECT_EQ(moved(points, this_thread(), 30), moved(points, three, 30));
}

TEST(Subspace, NoClusterLosesItsLastPoint) {
  for (const std::size_t clusters : {2u, 30u, 300u, 600u}) {
    std::vector<std::uint32_t> sizes(clusters);
    for (const std::uint32_t cluster : moved(planted_points(), this_thread(), clusters)) ++sizes.at(cluster);
    EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 1u) << clusters;
  }
}

TEST(Subspace, PointsWithoutEnergyStayWhereTheyAre) {
  RowMatrix points = planted_points();
  points.bottomRows(100).setZero();
  std::vector<std::uint32_t> start(kPoints);
  for (std::uint32_t i = 0; i < kPoints; ++i) start[i] = i / kPointsOfEach;
  const std::vector<float> weights(kPoints, 1);
  const auto end = move_to_subspaces(points, weights, start, kDirections, this_thread());
  EXPECT_TRUE(std::equal(start.end() - 100, start.end(), end.end() - 100));
}

TEST(Subspace, TheNearestOfABlockIsThatOfASlowTwin) {
  Random random{3};
  const RowMatrix points = RowMatrix(rows_of(random_rows(40, 8, random)));
  const std::vector<std::uint32_t> sizes{2, 1, 3};
  RowMatrix bases(6, 8);
  Eigen::Index first = 0;
  for (const std::uint32_t size : sizes) {
    bases.middleRows(first, size) = leading_directions(RowMatrix(rows_of(random_rows(9, 8, random))), size);
    first += size;
  }
  const std::vector<Array> block{view_rows("points", points)};
  const std::vector<Array> shared{view_rows("bases", bases), view_array<std::uint32_t>("sizes", sizes)};
  const auto told = kNearestSubspaces.work(block, shared);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const float energies[] = {(bases.middleRows(0, 2) * points.row(i).transpose()).squaredNorm(),
                              (bases.middleRows(2, 1) * points.row(i).transpose()).squaredNorm(),
                              (bases.middleRows(3, 3) * points.row(i).transpose()).squaredNorm()};
    const auto* most = std::max_element(energies, energies + 3);
    EXPECT_EQ(find_array(told, "cluster").as<std::uint32_t>()[static_cast<std::size_t>(i)], most - energies);
    EXPECT_NEAR(find_array(told, "energy").as<float>()[static_cast<std::size_t>(i)], *most, 1e-5);
  }
}

TEST(Subspace, OfABlockIsWhereItsWeightedPointsLie) {
  RowMatrix points = RowMatrix::Zero(2, 8);
  points(0, 3) = 1;
  points(1, 5) = 2;
  const std::vector<Array> block{own_rows("points", points), own_array("weight", std::vector<float>{3, 1}),
                                 own_array("vectors", std::vector<std::uint32_t>{1})};
  const auto told = kFitSubspace.work(block, {});
  EXPECT_NEAR(std::abs(matrix_of(find_array(told, "basis"))(0, 3)), 1, 1e-6);
}

}  // namespace
}  // namespace meteor
