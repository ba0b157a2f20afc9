#include "compression/clusters/clustered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "fixtures/four_planes.h"
#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"

namespace meteor {
namespace {

using testing::four_planes;
using testing::kBread;
using testing::kFruit;
using testing::plain_update;
using testing::random_rows;
using testing::rows_near;

constexpr float kTiny = 1e-7F;

std::vector<UnitId> units_from(std::uint32_t first, std::uint32_t count) {
  std::vector<UnitId> units;
  for (std::uint32_t i = 0; i < count; ++i) units.push_back(UnitId{first + i});
  return units;
}

/// The cluster that a unit joins which nobody has seen before.
ClusterId joined(AttributeId attribute, CategoryKey category, std::span<const float> row,
                 std::vector<Cluster> clusters = four_planes()) {
  Clustered clustered(8, kTiny, std::move(clusters));
  WindowUpdate update = plain_update(first_units(1), AlignedRows(1, 8));
  update.attributes[0] = attribute;
  update.categories[0] = category;
  std::copy(row.begin(), row.end(), update.rows.row(0).begin());
  clustered.absorb(update, {}, this_thread());
  return clustered.cluster_of(UnitId{0});
}

double decoding_error(const Clustered& clustered, const WindowUpdate& update) {
  AlignedRows decoded(update.units.size(), update.rows.width());
  clustered.decode(update.units, decoded);
  return (rows_of(decoded) - rows_of(update.rows)).squaredNorm();
}

TEST(Clustered, DecodesExactlyWhatItsBasesSpan) {
  Random random{1};
  Clustered clustered(8, kTiny, four_planes());
  WindowUpdate update = plain_update(first_units(6), rows_near({0, 1, 0, 2, 3, 2}, 0, random));
  for (std::size_t i = 3; i < 6; ++i) update.attributes[i] = AttributeId{1};
  const CompressionOutcome outcome = clustered.absorb(update, {}, this_thread());
  EXPECT_LT(outcome.relative_error(), 1e-10);
  EXPECT_LT(decoding_error(clustered, update), 1e-9);
  EXPECT_NEAR(outcome.squared_norm, rows_of(update.rows).squaredNorm(), 1e-3);
  EXPECT_EQ(clustered.scheme(), "clusters");
}

TEST(Clustered, ReportsTheErrorThatDecodingMakes) {
  Random random{2};
  Clustered clustered(8, 0.001F, four_planes());
  const WindowUpdate update = plain_update(first_units(50), random_rows(50, 8, random));
  const CompressionOutcome outcome = clustered.absorb(update, {}, this_thread());
  EXPECT_GT(outcome.squared_error, 1);
  EXPECT_NEAR(outcome.squared_error, decoding_error(clustered, update), 1e-3);
}

TEST(Clustered, ANewUnitJoinsTheClusterOfItsCategory) {
  Random random{3};
  const AlignedRows rows = rows_near({0, 1}, 0.1F, random);
  EXPECT_EQ(joined(AttributeId{0}, kBread, rows.row(0)), ClusterId{1});
  EXPECT_EQ(joined(AttributeId{0}, kFruit, rows.row(1)), ClusterId{0});
}

TEST(Clustered, ANewUnitWithoutAKnownCategoryJoinsTheNearestSpanOfItsAttribute) {
  Random random{4};
  const AlignedRows rows = rows_near({0, 1, 2, 3}, 0.1F, random);
  EXPECT_EQ(joined(AttributeId{0}, CategoryKey::none, rows.row(0)), ClusterId{0});
  EXPECT_EQ(joined(AttributeId{0}, CategoryKey::none, rows.row(1)), ClusterId{1});
  EXPECT_EQ(joined(AttributeId{0}, CategoryKey{99}, rows.row(1)), ClusterId{1});
  EXPECT_EQ(joined(AttributeId{1}, CategoryKey::none, rows.row(2)), ClusterId{2});
  EXPECT_EQ(joined(AttributeId{1}, CategoryKey::none, rows.row(3)), ClusterId{3});
  const std::vector<float> zero(8);
  EXPECT_EQ(joined(AttributeId{1}, CategoryKey::none, zero), ClusterId{2});
}

TEST(Clustered, TheNearestSpanDoesNotDependOnTheLengthOfBasisVectors) {
  auto clusters = four_planes();
  clusters[0].basis *= 5;
  clusters[1].basis.row(1) += clusters[1].basis.row(0);
  const std::vector<float> row{0.5F, 0, 1, -1, 0, 0, 0, 0};
  EXPECT_EQ(joined(AttributeId{0}, CategoryKey::none, row, clusters), ClusterId{1});
}

TEST(Clustered, UnitsKeepTheirClusterForEver) {
  Random random{5};
  Clustered clustered(8, kTiny, four_planes());
  clustered.absorb(plain_update(first_units(2), rows_near({0, 1}, 0.1F, random)), {}, this_thread());
  WindowUpdate moved = plain_update(first_units(2), rows_near({1, 0}, 0.1F, random), 1);
  moved.categories = {kBread, kFruit};
  clustered.absorb(moved, {}, this_thread());
  EXPECT_EQ(clustered.cluster_of(UnitId{0}), ClusterId{0});
  EXPECT_EQ(clustered.cluster_of(UnitId{1}), ClusterId{1});
}

TEST(Clustered, UnitsThatAWindowDoesNotHoldKeepTheirCodes) {
  Random random{6};
  Clustered clustered(8, kTiny, four_planes());
  const WindowUpdate first = plain_update(first_units(4), rows_near({0, 1, 0, 1}, 0, random));
  clustered.absorb(first, {}, this_thread());
  clustered.absorb(plain_update({UnitId{1}, UnitId{4}}, rows_near({1, 1}, 0, random), 1), {}, this_thread());
  EXPECT_EQ(clustered.units(), 5u);
  AlignedRows decoded(1, 8);
  const UnitId untouched[] = {UnitId{2}};
  clustered.decode(untouched, decoded);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(decoded.row(0)[j], first.rows.row(2)[j], 1e-5F);
}

TEST(Clustered, AnyNumberOfThreadsGivesTheSameBits) {
  Clustered one(8, 0.01F, four_planes()), four(8, 0.01F, four_planes());
  LocalBlockWorkers four_threads(4);
  for (std::uint32_t window = 0; window < 5; ++window) {
    Random random{14, window};
    WindowUpdate update = plain_update(first_units(60 + 20 * window), random_rows(60 + 20 * window, 8, random), window);
    for (std::size_t i = 0; i < update.units.size(); i += 2) update.attributes[i] = AttributeId{1};
    const CompressionOutcome alone = one.absorb(update, {}, this_thread()),
                             shared = four.absorb(update, {}, four_threads);
    EXPECT_EQ(content_hash(alone.changes), content_hash(shared.changes));
    EXPECT_EQ(alone.squared_error, shared.squared_error);
    EXPECT_EQ(content_hash(one.arrays()), content_hash(four.arrays()));
  }
}

TEST(Clustered, ReadsBackWhatItsArraysHoldBitForBit) {
  Random random{8};
  Clustered clustered(8, 0.05F, four_planes());
  clustered.absorb(plain_update(first_units(30), random_rows(30, 8, random)), {}, this_thread());
  Clustered copy(8, 0.05F, clustered.arrays());
  EXPECT_EQ(copy.units(), 30u);
  EXPECT_EQ(content_hash(copy.arrays()), content_hash(clustered.arrays()));
  const WindowUpdate next = plain_update(units_from(15, 20), random_rows(20, 8, random), 1);
  clustered.absorb(next, {}, this_thread());
  copy.absorb(next, {}, this_thread());
  EXPECT_EQ(content_hash(copy.arrays()), content_hash(clustered.arrays())) << "after learning on";
  EXPECT_EQ(copy.clusters()[0].category, kFruit);
  EXPECT_EQ(copy.clusters()[3].attribute, AttributeId{1});
}

TEST(Clustered, RefusesArraysThatDoNotFitTogether) {
  Random random{9};
  Clustered clustered(8, 0.05F, four_planes());
  clustered.absorb(plain_update(first_units(5), random_rows(5, 8, random)), {}, this_thread());
  const auto refuses = [&](const std::string& name, Array replacement) {
    auto arrays = clustered.arrays();
    for (Array& array : arrays) {
      if (array.name == name) array = replacement;
    }
    EXPECT_THROW(Clustered(8, 0.05F, arrays), StorageError) << name;
  };
  refuses("embeddings/cluster", own_array<std::uint32_t>("embeddings/cluster", {0, 1, 2, 3, 4}));
  refuses("embeddings/basis", own_array<float>("embeddings/basis", std::vector<float>(63)));
  refuses("embeddings/basis_accumulator", own_array<float>("embeddings/basis_accumulator", std::vector<float>(7)));
  refuses("embeddings/clusters/category", own_array<std::uint64_t>("embeddings/clusters/category", {1, 2, 3}));
  refuses("embeddings/clusters/attribute", own_array<std::uint32_t>("embeddings/clusters/attribute", {0, 0, 1, 1}));
  refuses("embeddings/codes/values", own_array<float>("something else", {}));
  EXPECT_THROW(Clustered(7, 0.05F, clustered.arrays()), StorageError);
}

TEST(Clustered, CountsEveryArrayThatDecodingOrLearningNeeds) {
  Random random{10};
  Clustered clustered(8, kTiny, four_planes());
  clustered.absorb(plain_update(first_units(10), rows_near(std::vector<int>(10, 0), 0, random)), {}, this_thread());
  const std::uint64_t bases = 8 * 8 * 4 + 8 * 4;     // vectors and accumulators
  const std::uint64_t clusters = 4 * (2 + 8 + 4);    // attribute, category, vectors
  const std::uint64_t units = 10 * (4 + 2 + 2 * 4);  // cluster, length, two dense values
  EXPECT_EQ(decoding_bytes(clustered.arrays()), bases + clusters + units);
  EXPECT_EQ(clustered.bytes_per_new_unit(), 14);
}

TEST(Clustered, RefusesRowsThatAreNotFinite) {
  Random random{11};
  for (float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Clustered clustered(8, kTiny, four_planes());
    clustered.absorb(plain_update(first_units(4), rows_near({0, 1, 0, 1}, 0.1F, random)), {}, this_thread());
    const std::string before = content_hash(clustered.arrays());
    AlignedRows rows = rows_near({0, 1, 0, 1}, 0.1F, random);
    rows.row(2)[1] = broken;
    try {
      clustered.absorb(plain_update(first_units(4), std::move(rows), 6), {}, this_thread());
      ADD_FAILURE() << "nothing was thrown for " << broken;
    } catch (const NumericError& error) {
      EXPECT_STREQ(error.what(), "window 6: the embedding of unit 2 is not finite");
    }
    EXPECT_EQ(content_hash(clustered.arrays()), before) << "a refused window leaves no trace";
  }
}

}  // namespace
}  // namespace meteor
