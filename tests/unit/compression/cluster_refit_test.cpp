#include "compression/clusters/cluster_refit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compression/clusters/lasso.h"
#include "fixtures/four_planes.h"

namespace meteor {
namespace {

using testing::four_planes;
using testing::rows_near;

TEST(ClusterRefit, MovingTheBasisLosesLessOnDriftingDataThanLeavingIt) {
  Random random{7};
  Cluster moving = four_planes()[0], fixed = four_planes()[0];
  double moving_error = 0, fixed_error = 0;
  for (std::uint64_t window = 0; window < 30; ++window) {
    AlignedRows rows = rows_near(std::vector<int>(40, 0), 0.05F, random);
    const float drift = 0.02F * static_cast<float>(window);
    for (std::size_t i = 0; i < 40; ++i) rows.row(i)[2] += drift * rows.row(i)[0];  // the plane tilts
    const auto some = [&](std::size_t begin, std::size_t count) -> RowMatrix {
      return rows_of(rows).middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(count));
    };
    const auto error = [&](Cluster& cluster, BasisStep step) {
      const ClusterRefit refit = refit_cluster(cluster, 40, some, 0.001F, step);
      return refit.squared_error / refit.squared_norm;
    };
    fixed_error = error(fixed, BasisStep::stay);
    moving_error = error(moving, BasisStep::move);
  }
  EXPECT_GT(fixed_error, 0.05);
  EXPECT_LT(moving_error, 0.5 * fixed_error);
}

TEST(ClusterRefit, ABasisTakesItsStepToWithinHalfOfItsLastBit) {
  Random random{12};
  Cluster cluster = four_planes()[0];
  const RowMatrix before = cluster.basis;
  const AlignedRows rows = rows_near(std::vector<int>(40, 0), 0.5F, random);
  const RowMatrix targets = rows_of(rows);
  const auto some = [&](std::size_t begin, std::size_t count) -> RowMatrix {
    return targets.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(count));
  };
  const BasisMoves moves = refit_cluster(cluster, 40, some, 0.001F, BasisStep::move).moves;

  const RowMatrix codes = lasso(before * before.transpose(), targets * before.transpose(), 0.001F);
  const RowMatrix gradient = codes.transpose() * (codes * before - targets);
  ASSERT_EQ(moves.vectors, (std::vector<std::uint32_t>{0, 1}));
  ASSERT_EQ(moves.steps.size(), 16u);
  for (Eigen::Index v = 0; v < 2; ++v) {
    const float scale = moves.scales[static_cast<std::size_t>(v)];
    const Eigen::RowVectorXf exact = gradient.row(v) * (127 * scale / gradient.row(v).cwiseAbs().maxCoeff());
    EXPECT_LE((before.row(v) - exact - cluster.basis.row(v)).cwiseAbs().maxCoeff(), 0.5F * scale * 1.01F + 1e-6F);
    EXPECT_GT((before.row(v) - cluster.basis.row(v)).cwiseAbs().maxCoeff(), 100 * scale) << "it moved";
  }
}

TEST(ClusterRefit, ABasisWithNothingToLearnStaysWhereItIs) {
  Cluster cluster = four_planes()[0];
  const auto nothing = [](std::size_t, std::size_t count) -> RowMatrix {
    return RowMatrix::Zero(static_cast<Eigen::Index>(count), 8);
  };
  EXPECT_TRUE(refit_cluster(cluster, 10, nothing, 0.001F, BasisStep::move).moves.vectors.empty());
  EXPECT_EQ(cluster.basis, four_planes()[0].basis);
}

TEST(ClusterRefit, OfABlockIsThatOfItsClusterBitForBit) {
  Random random{15};
  Cluster cluster = four_planes()[0];
  cluster.accumulators << 0.5F, 2;
  const RowMatrix targets = rows_of(rows_near(std::vector<int>(600, 0), 0.5F, random));  // more than are solved at once
  const std::vector<float> lambda{0.01F};
  const std::vector<Array> block{own_rows("rows", targets), own_rows("basis", cluster.basis),
                                 own_rows("accumulator", cluster.accumulators)};
  const std::vector<Array> shared = shared_refit_settings(lambda[0], Precision::float32);
  const std::vector<Array> told = kRefitCluster.work(block, shared);

  const auto some = [&](std::size_t begin, std::size_t count) -> RowMatrix {
    return targets.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(count));
  };
  const ClusterRefit refit = refit_cluster(cluster, 600, some, lambda[0], BasisStep::move);
  EXPECT_EQ(matrix_of(find_array(told, "codes")), refit.codes);
  EXPECT_EQ(matrix_of(find_array(told, "accumulator")), RowMatrix(cluster.accumulators));
  const auto vectors = find_array(told, "vector").as<std::uint32_t>();
  EXPECT_TRUE(std::equal(vectors.begin(), vectors.end(), refit.moves.vectors.begin(), refit.moves.vectors.end()));
  const auto steps = find_array(told, "step").as<std::uint8_t>();
  EXPECT_TRUE(std::equal(steps.begin(), steps.end(), refit.moves.steps.begin(), refit.moves.steps.end()));
  EXPECT_EQ(find_array(told, "error").as<float>()[0], static_cast<float>(refit.squared_error));
  EXPECT_EQ(find_array(told, "error").as<float>()[1], static_cast<float>(refit.squared_norm));
}

}  // namespace
}  // namespace meteor
