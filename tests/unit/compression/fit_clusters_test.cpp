#include "compression/clusters/fit_clusters.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"
#include "model/local_block_workers.h"

namespace meteor {
namespace {

using testing::plain_update;
using testing::random_rows;

constexpr std::uint32_t kDimension = 12, kUnits = 300;

AttributeSettings attribute(const std::string& name, ClusterSource clusters = ClusterSource::fitted) {
  AttributeSettings settings;
  settings.name = name;
  settings.clusters = clusters;
  settings.categories = "cats.csv";
  return settings;
}

/// A pretrained space whose units have the given attributes in turn; all rows lie in a random subspace of the given
/// dimension.
struct Space {
  Space(std::size_t subspace, std::vector<std::uint16_t> turns) {
    Random random{1, subspace};
    const AlignedRows inside = random_rows(kUnits, subspace, random), frame = random_rows(subspace, kDimension, random);
    AlignedRows rows(kUnits, kDimension);
    for (std::size_t i = 0; i < kUnits; ++i) {
      for (std::size_t k = 0; k < subspace; ++k) {
        for (std::size_t j = 0; j < kDimension; ++j) rows.row(i)[j] += inside.row(i)[k] * frame.row(k)[j];
      }
    }
    WindowUpdate update = plain_update(first_units(kUnits), std::move(rows));
    for (std::size_t i = 0; i < kUnits; ++i) update.attributes[i] = AttributeId{turns[i % turns.size()]};
    model.dimension = kDimension;
    model.embeddings = std::make_unique<Uncompressed>(kDimension);
    model.absorb(update, this_thread());
    categories.assign(kUnits, CategoryKey::none);
    settings.cluster_fraction = 0.02;
    settings.basis_fraction = 0.1;
    settings.lambda = 1e-7;
  }

  const Uncompressed& embeddings() const { return space_of(model); }
  std::unique_ptr<Clustered> fit(const std::vector<AttributeSettings>& attributes, std::uint64_t seed = 1,
                                 std::size_t threads = 1) const {
    LocalBlockWorkers workers(threads);
    return fit_clusters(model, embeddings(), categories, attributes, settings, seed, workers);
  }
  double relative_error(const Clustered& fitted) const {
    AlignedRows before(kUnits, kDimension), after(kUnits, kDimension);
    model.embeddings->decode(first_units(kUnits), before);
    fitted.decode(first_units(kUnits), after);
    return (rows_of(after) - rows_of(before)).squaredNorm() / rows_of(before).squaredNorm();
  }

  Model model;
  std::vector<CategoryKey> categories;
  CompressionSettings settings;
};

TEST(FitClusters, MoreBasisVectorsLoseLess) {
  Space space(kDimension, {0, 1});
  double previous = 1;
  for (double fraction : {0.02, 0.05, 0.1, 0.2}) {
    space.settings.basis_fraction = fraction;
    const double error = space.relative_error(*space.fit({attribute("user"), attribute("items")}));
    EXPECT_LT(error, 0.9 * previous) << fraction;
    previous = error;
  }
}

TEST(FitClusters, LosesNothingWhereTheBasisSpansTheSpace) {
  Space space(3, {0, 1});
  space.settings.basis_fraction = 0.2;
  const auto fitted = space.fit({attribute("user"), attribute("items")});
  EXPECT_LT(space.relative_error(*fitted), 1e-8);
}

TEST(FitClusters, MakesClustersAndBasisVectorsAsTheSettingsSay) {
  const Space space(kDimension, {0, 1, 1});
  const auto fitted = space.fit({attribute("user"), attribute("items")});
  ASSERT_EQ(fitted->clusters().size(), 6u);  // 2 % of 100 and of 200
  EXPECT_EQ(fitted->units(), kUnits);
  Eigen::Index vectors[2] = {0, 0};
  for (const auto& cluster : fitted->clusters()) vectors[index(cluster.attribute)] += cluster.basis.rows();
  EXPECT_GE(vectors[0], 10);  // 10 %, each cluster's share rounded up
  EXPECT_LE(vectors[0], 11);
  EXPECT_GE(vectors[1], 20);
  EXPECT_LE(vectors[1], 23);
  for (UnitId unit : first_units(kUnits)) {
    EXPECT_EQ(fitted->clusters()[index(fitted->cluster_of(unit))].attribute, space.model.attributes[index(unit)]);
  }
}

TEST(FitClusters, ThePretrainedUnitsKeepTheirClusterWhenTheyAreLearntAgain) {
  const Space space(kDimension, {0});
  const auto fitted = space.fit({attribute("user")});
  std::vector<ClusterId> before;
  for (UnitId unit : first_units(kUnits)) before.push_back(fitted->cluster_of(unit));
  Random random{2};
  fitted->absorb(plain_update(first_units(kUnits), random_rows(kUnits, kDimension, random), 1), {}, this_thread());
  for (UnitId unit : first_units(kUnits)) EXPECT_EQ(fitted->cluster_of(unit), before[index(unit)]);
}

TEST(FitClusters, TheSameSeedGivesTheSameBits) {
  const Space space(kDimension, {0, 1});
  const std::vector<AttributeSettings> attributes{attribute("user"), attribute("items")};
  EXPECT_EQ(content_hash(space.fit(attributes, 1)->arrays()), content_hash(space.fit(attributes, 1)->arrays()));
  EXPECT_NE(content_hash(space.fit(attributes, 1)->arrays()), content_hash(space.fit(attributes, 2)->arrays()));
}

TEST(FitClusters, AnyNumberOfThreadsGivesTheSameBits) {
  const Space space(kDimension, {0, 1});
  const std::vector<AttributeSettings> attributes{attribute("user"), attribute("items"), attribute("unseen")};
  EXPECT_EQ(content_hash(space.fit(attributes, 1, 1)->arrays()), content_hash(space.fit(attributes, 1, 4)->arrays()));
}

TEST(FitClusters, AnAttributeThatPretrainingDidNotSeeUsesTheBasisOfAll) {
  const Space space(3, {0});
  const auto fitted = space.fit({attribute("user"), attribute("place")});
  const auto clusters = fitted->clusters();
  ASSERT_EQ(clusters.back().attribute, AttributeId{1});
  WindowUpdate update = plain_update({UnitId{kUnits}}, AlignedRows(1, kDimension), 1);
  update.attributes[0] = AttributeId{1};
  const auto row = space.embeddings().row(UnitId{7});
  std::copy(row.begin(), row.end(), update.rows.row(0).begin());
  EXPECT_LT(fitted->absorb(update, {}, this_thread()).relative_error(), 0.02);  // the basis takes a step
  EXPECT_EQ(index(fitted->cluster_of(UnitId{kUnits})), clusters.size() - 1);
}

TEST(FitClusters, CategoriesAreClustersAndUnitsWithoutOneJoinTheNearest) {
  Space space(kDimension, {0});
  constexpr CategoryKey kFruit{7}, kBread{3};
  for (std::size_t i = 0; i < kUnits; ++i) {
    if (i % 3 != 2) space.categories[i] = i % 3 == 0 ? kFruit : kBread;
  }
  const auto fitted = space.fit({attribute("items", ClusterSource::categories)});
  ASSERT_EQ(fitted->clusters().size(), 2u);
  Eigen::RowVectorXf means[2] = {Eigen::RowVectorXf::Zero(kDimension), Eigen::RowVectorXf::Zero(kDimension)};
  const auto row = [&](std::size_t i) {
    return Eigen::Map<const Eigen::RowVectorXf>(space.embeddings().row(UnitId{static_cast<std::uint32_t>(i)}).data(),
                                                kDimension);
  };
  for (std::size_t i = 0; i < kUnits; ++i) {
    if (i % 3 != 2) means[i % 3] += row(i) / 100;
  }
  for (std::size_t i = 0; i < kUnits; ++i) {
    const bool fruit = i % 3 == 2 ? (row(i) - means[0]).norm() < (row(i) - means[1]).norm() : i % 3 == 0;
    const UnitId unit{static_cast<std::uint32_t>(i)};
    EXPECT_EQ(fitted->clusters()[index(fitted->cluster_of(unit))].category, fruit ? kFruit : kBread) << i;
  }
}

TEST(FitClusters, RefusesCategoriesThatNoUnitHas) {
  const Space space(kDimension, {0});
  try {
    space.fit({attribute("items", ClusterSource::categories)});
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cats.csv: none of the units of attribute items has a category there");
  }
}

TEST(FitClusters, RefusesASpaceWithoutUnits) {
  const Model model = testing::empty_model(4);
  const Uncompressed nothing(4);
  LocalBlockWorkers workers(1);
  EXPECT_THROW(fit_clusters(model, nothing, {}, std::vector{attribute("user")}, {}, 1, workers), UsageError);
}

TEST(FitClusters, UnitsSeenOftenLoseLess) {
  Space space(kDimension, {0});
  space.settings.cluster_fraction = 0.001;  // one cluster
  space.settings.basis_fraction = 0.02;
  for (std::size_t i = 0; i < kUnits; ++i) space.model.counts[i] = i < 6 ? 100000 : 1;
  const auto fitted = space.fit({attribute("items")});
  AlignedRows before(kUnits, kDimension), after(kUnits, kDimension);
  space.model.embeddings->decode(first_units(kUnits), before);
  fitted->decode(first_units(kUnits), after);
  const auto error = [&](Eigen::Index from, Eigen::Index count) {
    const RowMatrix rows = rows_of(before).middleRows(from, count);
    return (rows_of(after).middleRows(from, count) - rows).squaredNorm() / rows.squaredNorm();
  };
  EXPECT_LT(error(0, 6), 0.3 * error(6, kUnits - 6));
}

TEST(FitClusters, SubspacesLoseLessThanKMeans) {
  Space space(kDimension, {0, 1});
  const std::vector<AttributeSettings> attributes{attribute("user"), attribute("items")};
  const auto near = space.fit(attributes);
  space.settings.clusters = ClusterKind::subspace;
  const auto spanned = space.fit(attributes);
  EXPECT_EQ(spanned->clusters().size(), near->clusters().size());
  EXPECT_LT(space.relative_error(*spanned), 0.95 * space.relative_error(*near));
}

TEST(FitClusters, SubspacesLeaveCategoriesAsTheyAre) {
  Space space(kDimension, {0});
  for (std::size_t i = 0; i < kUnits; ++i) space.categories[i] = CategoryKey{1 + i % 5};
  const std::vector<AttributeSettings> attributes{attribute("items", ClusterSource::categories)};
  const std::string before = content_hash(space.fit(attributes)->arrays());
  space.settings.clusters = ClusterKind::subspace;
  EXPECT_EQ(content_hash(space.fit(attributes)->arrays()), before);
}

TEST(FitClusters, SubspacesInBytesDoNotDependOnTheNumberOfThreads) {
  Space space(kDimension, {0, 1});
  space.settings.clusters = ClusterKind::subspace;
  space.settings.precision = Precision::int8;
  const std::vector<AttributeSettings> attributes{attribute("user"), attribute("items")};
  const auto one = space.fit(attributes, 1, 1);
  EXPECT_EQ(one->precision(), Precision::int8);
  EXPECT_EQ(content_hash(one->arrays()), content_hash(space.fit(attributes, 1, 3)->arrays()));
}

}  // namespace
}  // namespace meteor
