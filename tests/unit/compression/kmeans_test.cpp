#include "compression/kmeans.h"

#include <gtest/gtest.h>

#include <set>

#include "model/local_block_workers.h"
namespace meteor {
namespace {

/// `each` points around each of `blobs` far corners, one blob after another.
RowMatrix blobs_of_points(Eigen::Index blobs, Eigen::Index each, Random& random) {
  RowMatrix points(blobs * each, blobs);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index j = 0; j < blobs; ++j) {
      points(i, j) = static_cast<float>(random.uniform()) + (i / each == j ? 20.0F : 0.0F);
    }
  }
  return points;
}

Clustering kmeans(const RowMatrix& points, std::size_t clusters, Random& random, std::size_t threads = 1) {
  LocalBlockWorkers workers(threads);
  return meteor::kmeans(points, clusters, random, workers);
}

void expect_no_empty_cluster(const Clustering& found, std::size_t clusters) {
  const std::set<std::uint32_t> used(found.cluster_of.begin(), found.cluster_of.end());
  EXPECT_EQ(used.size(), clusters);
  EXPECT_LT(*used.rbegin(), clusters);
  EXPECT_TRUE(found.centroids.allFinite());
}

TEST(KMeans, FindsWellSeparatedBlobs) {
  Random random{1};
  const RowMatrix points = blobs_of_points(7, 50, random);
  const Clustering found = kmeans(points, 7, random);
  expect_no_empty_cluster(found, 7);
  for (std::size_t i = 0; i < 350; ++i) EXPECT_EQ(found.cluster_of[i], found.cluster_of[i / 50 * 50]) << i;
  for (Eigen::Index blob = 0; blob < 7; ++blob) {
    const Eigen::RowVectorXf mean = points.middleRows(blob * 50, 50).colwise().mean();
    EXPECT_LT((found.centroids.row(found.cluster_of[static_cast<std::size_t>(blob) * 50]) - mean).norm(), 1e-4F);
  }
}

TEST(KMeans, FindsBlobsAmongMorePointsThanItStartsFrom) {
  Random random{2};
  const RowMatrix points = blobs_of_points(3, 1500, random);
  const Clustering found = kmeans(points, 3, random);
  expect_no_empty_cluster(found, 3);
  for (std::size_t i = 0; i < 4500; ++i) ASSERT_EQ(found.cluster_of[i], found.cluster_of[i / 1500 * 1500]) << i;
}

TEST(KMeans, LeavesNoClusterEmptyEvenWherePointsCoincide) {
  Random random{3};
  for (Eigen::Index different : {1, 2, 5}) {
    RowMatrix points(20, 4);
    for (Eigen::Index i = 0; i < 20; ++i) points.row(i).setConstant(static_cast<float>(i % different));
    for (std::size_t clusters : {1, 3, 6, 20}) expect_no_empty_cluster(kmeans(points, clusters, random), clusters);
  }
}

TEST(KMeans, GivesEveryPointItsOwnClusterWhereThereAreAsMany) {
  Random random{4};
  const RowMatrix points = RowMatrix::Identity(9, 9);
  expect_no_empty_cluster(kmeans(points, 9, random), 9);
}

TEST(KMeans, EqualRandomStreamsGiveEqualClusters) {
  Random points_stream{5};
  const RowMatrix points = RowMatrix::NullaryExpr(200, 5, [&] { return static_cast<float>(points_stream.uniform()); });
  Random first{6}, second{6}, third{7};
  const Clustering one = kmeans(points, 8, first), same = kmeans(points, 8, second), other = kmeans(points, 8, third);
  EXPECT_EQ(one.cluster_of, same.cluster_of);
  EXPECT_EQ(one.centroids, same.centroids);
  EXPECT_NE(one.cluster_of, other.cluster_of);
}

TEST(KMeans, AnyNumberOfThreadsGivesTheSameBits) {
  Random points_stream{9};
  const RowMatrix points = RowMatrix::NullaryExpr(5000, 7, [&] { return static_cast<float>(points_stream.uniform()); });
  Random first{6}, second{6};
  const Clustering one = kmeans(points, 40, first, 1), four = kmeans(points, 40, second, 4);
  EXPECT_EQ(one.cluster_of, four.cluster_of);
  EXPECT_EQ(one.centroids, four.centroids);
}

TEST(KMeans, AssignsPointsToTheNearestCentroid) {
  Random random{8};
  const auto draw = [&] { return static_cast<float>(random.uniform()); };
  const RowMatrix points = RowMatrix::NullaryExpr(1500, 3, draw), centroids = RowMatrix::NullaryExpr(6, 3, draw);
  const auto nearest = nearest_centroids(points, centroids);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const Eigen::VectorXf distances = (centroids.rowwise() - points.row(i)).rowwise().squaredNorm();
    ASSERT_LE(distances[nearest[static_cast<std::size_t>(i)]], distances.minCoeff() + 1e-5F);
  }
}

}  // namespace
}  // namespace meteor
