#include "compression/clusters/basis.h"

#include <gmock/gmock.h>

#include <Eigen/SVD>

#include "support/random.h"

namespace meteor {
namespace {

using ::testing::ElementsAre;
using Sizes = std::vector<std::uint32_t>;

TEST(BasisAllocation, IsInProportionToClusterSizesRoundedUp) {
  EXPECT_THAT(allocate_basis(Sizes{50, 30, 20}, 10, BasisSharing::weighted, 300), ElementsAre(5, 3, 2));
  EXPECT_THAT(allocate_basis(Sizes{50, 31, 19}, 10, BasisSharing::weighted, 300), ElementsAre(5, 4, 2));
  EXPECT_THAT(allocate_basis(Sizes{97, 1, 2}, 10, BasisSharing::weighted, 300), ElementsAre(10, 1, 1));
}

TEST(BasisAllocation, EqualsTheCeilingOfTheExactShare) {
  for (std::uint32_t total = 1; total <= 100; ++total) {
    for (std::uint32_t size = 1; size < 100; ++size) {
      const auto allocation = allocate_basis(Sizes{size, 100 - size}, total, BasisSharing::weighted, 1000);
      const std::uint32_t exact = (total * size + 99) / 100;
      ASSERT_EQ(allocation[0], std::min(exact, size)) << "K " << total << ", " << size << " of 100";
    }
  }
}

TEST(BasisAllocation, ATotalThatIsAFractionOfTheUnitsIsNotRoundedUpTwice) {
  EXPECT_THAT(allocate_basis(Sizes{100}, 0.07 * 100, BasisSharing::weighted, 300), ElementsAre(7));
  EXPECT_THAT(allocate_basis(Sizes{100}, 0.0701 * 100, BasisSharing::weighted, 300), ElementsAre(8));
}

TEST(BasisAllocation, UniformSharingIgnoresSizes) {
  EXPECT_THAT(allocate_basis(Sizes{50, 30, 20}, 10, BasisSharing::uniform, 300), ElementsAre(4, 4, 4));
}

TEST(BasisAllocation, NeverExceedsAClustersUnitsOrTheDimensionNorFallsBelowOne) {
  EXPECT_THAT(allocate_basis(Sizes{2, 98}, 150, BasisSharing::weighted, 60), ElementsAre(2, 60));
  EXPECT_THAT(allocate_basis(Sizes{1, 1, 8}, 30, BasisSharing::uniform, 5), ElementsAre(1, 1, 5));
  EXPECT_THAT(allocate_basis(Sizes{5, 5}, 0.001, BasisSharing::weighted, 5), ElementsAre(1, 1));
}

RowMatrix random_points(Eigen::Index n, Eigen::Index d, Random& random) {
  RowMatrix points = RowMatrix::NullaryExpr(n, d, [&] { return static_cast<float>(2 * random.uniform() - 1); });
  for (Eigen::Index j = 0; j < d; ++j) points.col(j) *= static_cast<float>(d - j);  // well separated variances
  return points;
}

TEST(LeadingDirections, SpanTheLeadingRightSingularSubspace) {
  Random random{1};
  for (const auto& [n, d] : {std::pair{40, 9}, std::pair{9, 40}, std::pair{12, 12}, std::pair{300, 30}}) {
    const RowMatrix points = random_points(n, d, random);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(points.cast<double>(), Eigen::ComputeThinV);
    for (Eigen::Index count : {1, 3, 7}) {
      const Eigen::MatrixXd found = leading_directions(points, static_cast<std::size_t>(count)).cast<double>();
      const Eigen::MatrixXd expected = svd.matrixV().leftCols(count);
      EXPECT_LT((found * found.transpose() - Eigen::MatrixXd::Identity(count, count)).norm(), 1e-5);
      EXPECT_LT((found.transpose() * found - expected * expected.transpose()).norm(), 1e-4) << n << " points, d " << d;
    }
  }
}

TEST(LeadingDirections, ComeInTheOrderOfTheirVariance) {
  Random random{2};
  const RowMatrix points = random_points(50, 8, random);
  const RowMatrix directions = leading_directions(points, 8);
  const Eigen::VectorXf variances = (points * directions.transpose()).colwise().squaredNorm();
  for (Eigen::Index i = 1; i < 8; ++i) EXPECT_GE(variances[i - 1], variances[i]);
}

TEST(LeadingDirections, OfPointsThatSpanLessLoseNothing) {
  Random random{3};
  for (const auto& [n, d] : {std::pair{30, 10}, std::pair{10, 30}}) {
    const RowMatrix points = random_points(n, 3, random) * random_points(3, d, random);
    const RowMatrix directions = leading_directions(points, 6);
    EXPECT_TRUE(directions.allFinite());
    EXPECT_LT((points * directions.transpose() * directions - points).norm(), 1e-4F * points.norm());
  }
}

TEST(LeadingDirections, OfFewerPointsThanAskedForAreFilledWithZeros) {
  Random random{4};
  const RowMatrix directions = leading_directions(random_points(2, 10, random), 5);
  EXPECT_TRUE(directions.bottomRows(3).isZero(0));
  EXPECT_NEAR(directions.row(1).norm(), 1, 1e-5);
  EXPECT_TRUE(leading_directions(RowMatrix::Zero(2, 10), 2).isZero(0));
}

}  // namespace
}  // namespace meteor
