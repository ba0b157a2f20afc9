#include "compression/clusters/lasso.h"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "compression/matrix.h"
#include "support/random.h"

namespace meteor {
namespace {

RowMatrix random_matrix(Eigen::Index rows, Eigen::Index columns, Random& random) {
  return RowMatrix::NullaryExpr(rows, columns, [&] { return static_cast<float>(2 * random.uniform() - 1); });
}

Eigen::RowVectorXf solve(const RowMatrix& basis, const Eigen::RowVectorXf& v, float lambda) {
  return lasso(basis * basis.transpose(), v * basis.transpose(), lambda);
}

/// At the minimum of ‖wB − v‖² + λ‖w‖₁, 2·b_i·(v − wB) is λ·sign(w_i) where w_i ≠ 0 and within ±λ where it is 0.
TEST(Lasso, MeetsTheOptimalityConditionsOnRandomBases) {
  Random random{1};
  int zeros = 0, others = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Eigen::Index size = 1 + random.below(8);
    const RowMatrix basis = random_matrix(size, 20, random);
    const Eigen::RowVectorXf v = random_matrix(1, 20, random);
    const float lambda = static_cast<float>(random.uniform()) * 4;
    const Eigen::RowVectorXf code = solve(basis, v, lambda);
    const Eigen::RowVectorXf slope = 2.0F * (v - code * basis) * basis.transpose();
    for (Eigen::Index i = 0; i < size; ++i) {
      if (code[i] == 0) {
        ++zeros;
        EXPECT_LE(std::abs(slope[i]), lambda + 1e-3F);
      } else {
        ++others;
        EXPECT_NEAR(slope[i], code[i] > 0 ? lambda : -lambda, 1e-3F);
      }
    }
  }
  EXPECT_GT(zeros, 50);
  EXPECT_GT(others, 50);
}

TEST(Lasso, WithoutPenaltyIsLeastSquares) {
  Random random{2};
  for (int repeat = 0; repeat < 20; ++repeat) {
    const RowMatrix basis = random_matrix(6, 30, random);
    const Eigen::RowVectorXf v = random_matrix(1, 30, random);
    const Eigen::VectorXd expected =
        basis.transpose().cast<double>().colPivHouseholderQr().solve(v.transpose().cast<double>());
    EXPECT_LT((solve(basis, v, 0).transpose().cast<double>() - expected).norm(), 1e-4);
  }
}

TEST(Lasso, AnOrthonormalBasisNeedsOnlyShrinking) {
  const RowMatrix basis = RowMatrix::Identity(3, 5);
  Eigen::RowVectorXf v(5);
  v << 2, -1, 0.25F, 9, 9;
  const Eigen::RowVectorXf code = solve(basis, v, 1);
  EXPECT_NEAR(code[0], 1.5F, 2e-6F);
  EXPECT_NEAR(code[1], -0.5F, 2e-6F);
  EXPECT_EQ(code[2], 0);
}

TEST(Lasso, ALargePenaltyGivesZero) {
  Random random{3};
  const RowMatrix basis = random_matrix(5, 10, random);
  const Eigen::RowVectorXf v = random_matrix(1, 10, random);
  const float least = 2 * (v * basis.transpose()).cwiseAbs().maxCoeff();
  EXPECT_TRUE(solve(basis, v, least * 1.001F).isZero(0));
  EXPECT_FALSE(solve(basis, v, least * 0.99F).isZero(0));
}

TEST(Lasso, AZeroBasisVectorGetsNoWeightAndDisturbsNothing) {
  Random random{4};
  const RowMatrix basis = random_matrix(4, 10, random);
  RowMatrix padded = RowMatrix::Zero(6, 10);
  padded.row(0) = basis.row(0);
  padded.middleRows(2, 3) = basis.bottomRows(3);
  const Eigen::RowVectorXf v = random_matrix(1, 10, random);
  const Eigen::RowVectorXf expected = solve(basis, v, 0.1F), code = solve(padded, v, 0.1F);
  EXPECT_EQ(code[1], 0);
  EXPECT_EQ(code[5], 0);
  EXPECT_NEAR(code[0], expected[0], 1e-5F);
  EXPECT_LT((code.segment(2, 3) - expected.tail(3)).norm(), 1e-5F);
}

}  // namespace
}  // namespace meteor
