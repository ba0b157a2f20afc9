#include "experiments/cluster_drift.h"

#include <gtest/gtest.h>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;

constexpr std::uint32_t kDimension = 2;

/// Gives units, all of one attribute, places on a line.
void place(Model& model, const std::vector<std::uint32_t>& units, const std::vector<float>& places) {
  AlignedRows rows(units.size(), kDimension);
  std::vector<UnitId> ids;
  for (std::size_t i = 0; i < units.size(); ++i) {
    rows.row(i)[0] = places[i];
    ids.push_back(UnitId{units[i]});
  }
  model.absorb(plain_update(ids, std::move(rows)), this_thread());
}

WindowUnits window_of(const std::vector<std::uint32_t>& units) {
  WindowUnits window;
  for (const std::uint32_t unit : units) window.units.push_back(UnitId{unit});
  window.attribute_ends = {static_cast<std::uint32_t>(units.size())};
  return window;
}

/// Four units at 0, 1, 10 and 11, the first two in one cluster and the others in another.
class ClusterDriftTest : public ::testing::Test {
 protected:
  ClusterDriftTest() : model_(empty_model(kDimension)) {
    place(model_, {0, 1, 2, 3}, {0, 1, 10, 11});
    std::vector<Cluster> clusters(2);
    for (Cluster& cluster : clusters) {
      cluster.basis = RowMatrix::Identity(1, kDimension);
      cluster.accumulators = Eigen::VectorXf::Zero(1);
    }
    Clustered fitted(kDimension, 0.001F, std::move(clusters));
    const float code[] = {1};
    for (std::uint32_t i = 0; i < 4; ++i) fitted.set_unit(UnitId{i}, ClusterId{i / 2}, code);
    drift_.emplace(fitted, model_);
  }
  ClusterDrift::Changes move(const std::vector<std::uint32_t>& units, const std::vector<float>& places) {
    place(model_, units, places);
    return drift_->follow(window_of(units), model_);
  }

  Model model_;
  std::optional<ClusterDrift> drift_;
};

TEST_F(ClusterDriftTest, UnitsThatStayNearTheirCentroidDoNotChange) {
  const auto changes = move({0, 3}, {2, 9});
  EXPECT_EQ(changes.units, 2u);
  EXPECT_EQ(changes.changed, 0u);
}

TEST_F(ClusterDriftTest, AUnitThatHasCrossedOverChangesOnce) {
  EXPECT_EQ(move({0, 1}, {9, 1}).changed, 1u);
  EXPECT_EQ(move({0}, {9}).changed, 0u) << "it has its new cluster now";
  EXPECT_EQ(move({0}, {0}).changed, 1u);
}

TEST_F(ClusterDriftTest, NewUnitsGetAClusterAndCanChangeItLater) {
  const auto first = move({4}, {12});
  EXPECT_EQ(first.units, 0u);
  EXPECT_EQ(drift_->clustered_units(), 5u);
  const auto second = move({4}, {-1});
  EXPECT_EQ(second.units, 1u);
  EXPECT_EQ(second.changed, 1u);
}

TEST_F(ClusterDriftTest, CentroidsFollowTheirUnits) {
  // Together the first two come to where the border was, at 5.5; with their centroid this is no change for either.
  EXPECT_EQ(move({0, 1}, {4, 5}).changed, 0u);
  EXPECT_EQ(move({0, 1}, {6, 7}).changed, 0u) << "the centroid went to 4.5, the border to 7.5";
}

}  // namespace
}  // namespace meteor
