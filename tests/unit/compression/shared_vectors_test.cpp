#include "compression/baselines/shared_vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "compression/baselines/fit_shared_vectors.h"
#include "fixtures/planted_model.h"
#include "fixtures/small_models.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

constexpr std::uint32_t kUnits = 1000, kDimension = 6;

/// A window that holds the given units, whose rows are single numbers.
WindowUpdate update_of(std::vector<UnitId> units, const std::vector<float>& numbers) {
  AlignedRows rows(numbers.size(), 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) rows.row(i)[0] = numbers[i];
  return testing::plain_update(std::move(units), std::move(rows));
}

UnitFacts facts_of(std::span<const AttributeId> attributes) { return {attributes, {}}; }

RowMatrix decoded(const Embeddings& embeddings, std::size_t dimension) {
  AlignedRows rows(embeddings.units(), dimension);
  embeddings.decode(first_units(embeddings.units()), rows);
  return rows_of(rows);
}

std::unique_ptr<SharedVectors> fitted(VectorChoice choice, const StoredModel& full, double share) {
  return fit_shared_vectors(choice, full.model, space_of(full.model), 2, share, 1, this_thread());
}

TEST(HashedVectors, AreSharedByNumbersThatAreEqualModuloHowManyThereAre) {
  const StoredModel full = small_model(CompressionScheme::none, kUnits, kDimension);
  const auto hashed = fitted(VectorChoice::hashed, full, 0.3);
  ASSERT_EQ(hashed->vectors().rows(), 300);  // 150 for each of the two attributes
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) {
    EXPECT_EQ(hashed->vector_of(UnitId{unit}), (unit % 2) * 150 + unit % 150);
  }
}

/// Numbers of one attribute among those of many are as good as random, and so are the vectors that they hash to.
TEST(HashedVectors, OfScatteredNumbersCollideAsOftenAsChanceHasIt) {
  constexpr std::uint32_t kVectors = 500;
  Random random{9};
  std::set<std::uint32_t> units, vectors;
  while (units.size() < 1000) units.insert(random.below(1u << 30));
  for (const std::uint32_t unit : units) vectors.insert(hashed_vector(UnitId{unit}, 0, kVectors));
  const double expected = kVectors * (1 - std::pow(1 - 1.0 / kVectors, 1000));  // 432.5, deviation about 7
  EXPECT_NEAR(static_cast<double>(vectors.size()), expected, 25);
}

TEST(HashedVectors, StartAtTheMeanOfTheirUnitsByRecords) {
  const StoredModel full = small_model(CompressionScheme::none, kUnits, kDimension);
  const auto hashed = fitted(VectorChoice::hashed, full, 0.25);  // 125 an attribute
  const RowMatrix rows = decoded(*full.model.embeddings, kDimension);
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(kDimension);
  double weight = 0;
  for (std::uint32_t unit = 4; unit < kUnits; unit += 2) {
    if (unit % 125 != 4) continue;
    sum += full.model.counts[unit] * rows.row(unit).cast<double>();
    weight += full.model.counts[unit];
  }
  EXPECT_LT((hashed->vectors().row(4).cast<double>() - sum / weight).norm(), 1e-5);
}

TEST(HashedVectors, TakeTheMeanStepOfTheirUnitsTimesTheRootOfHowManyThereAre) {
  RowMatrix vectors = RowMatrix::Zero(2, 1);
  vectors << 1, 5;
  SharedVectors hashed(VectorChoice::hashed, vectors, {2}, {0, 1, 0, 1});
  // Units 0 and 2 step by 1 and 3 from vector 0, unit 3 by 0.5 from vector 1.
  WindowUpdate update = update_of({UnitId{0}, UnitId{2}, UnitId{3}}, {2, 4, 5.5F});
  update.counts = {3, 1, 9};
  const std::vector<AttributeId> attributes(4, AttributeId{0});
  hashed.absorb(update, facts_of(attributes), this_thread());
  const double sharers = 16.0 / 10;
  EXPECT_NEAR(hashed.vectors()(0, 0), 1 + std::sqrt(sharers) * (3 * 1 + 1 * 3) / 4, 1e-6);
  EXPECT_NEAR(hashed.vectors()(1, 0), 5.5, 1e-6);
}

TEST(HashedVectors, CostNothingForANewUnit) {
  const StoredModel full = small_model(CompressionScheme::none, kUnits, kDimension);
  const auto hashed = fitted(VectorChoice::hashed, full, 0.3);
  EXPECT_EQ(hashed->bytes_per_new_unit(), 0);
  EXPECT_EQ(hashed->bytes(), 300u * kDimension * sizeof(float) + 2 * sizeof(std::uint32_t));
  EXPECT_EQ(hashed->bytes(), decoding_bytes(hashed->arrays()));
}

TEST(Centroids, AreTheMeansOfTheUnitsThatShareThem) {
  const StoredModel full = small_model(CompressionScheme::none, kUnits, kDimension);
  const auto centroids = fitted(VectorChoice::nearest, full, 0.1);
  const RowMatrix rows = decoded(*full.model.embeddings, kDimension);
  RowMatrix sums = RowMatrix::Zero(100, kDimension);
  Eigen::VectorXf sizes = Eigen::VectorXf::Zero(100);
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) {
    EXPECT_EQ(centroids->vector_of(UnitId{unit}) >= 50, unit % 2 == 1) << "attributes do not share";
    sums.row(centroids->vector_of(UnitId{unit})) += rows.row(unit);
    sizes[centroids->vector_of(UnitId{unit})] += 1;
  }
  EXPECT_GE(sizes.minCoeff(), 1);
  for (Eigen::Index v = 0; v < 100; ++v) {
    EXPECT_LT((sums.row(v) / sizes[v] - centroids->vectors().row(v)).norm(), 1e-4) << v;
  }
}

TEST(Centroids, AreWhatUnitsAreAfterAWindow) {
  RowMatrix vectors(2, 1);
  vectors << 0, 10;
  SharedVectors centroids(VectorChoice::nearest, vectors, {2}, {0, 0, 0, 1, 1});
  const std::vector<AttributeId> attributes(6, AttributeId{0});
  // Unit 0 stays; unit 2 goes over to the second, where unit 5 is new.
  centroids.absorb(update_of({UnitId{0}, UnitId{2}, UnitId{5}}, {1, 8, 12}), facts_of(attributes), this_thread());
  EXPECT_NEAR(centroids.vectors()(0, 0), (1.0 + 0) / 2, 1e-6);
  EXPECT_NEAR(centroids.vectors()(1, 0), (8.0 + 12 + 10 + 10) / 4, 1e-6);
  const RowMatrix units = decoded(centroids, 1);
  for (std::uint32_t unit = 0; unit < 6; ++unit) {
    EXPECT_EQ(units(unit, 0), centroids.vectors()(centroids.vector_of(UnitId{unit}), 0));
  }
  EXPECT_EQ(centroids.vector_of(UnitId{2}), 1u);
  EXPECT_EQ(centroids.vector_of(UnitId{5}), 1u);
}

TEST(Centroids, ThatNobodySharesGoToTheUnitFarthestFromItsOwn) {
  RowMatrix vectors(2, 1);
  vectors << 0, 10;
  SharedVectors centroids(VectorChoice::nearest, vectors, {2}, {0, 0, 1});
  const std::vector<AttributeId> attributes(3, AttributeId{0});
  // Both are nearest to the first.
  centroids.absorb(update_of({UnitId{0}, UnitId{2}}, {-4, 3}), facts_of(attributes), this_thread());
  EXPECT_EQ(centroids.vectors()(1, 0), -4);
  EXPECT_EQ(centroids.vector_of(UnitId{0}), 1u);
  EXPECT_NEAR(centroids.vectors()(0, 0), 1.5, 1e-6);
}

TEST(Centroids, TakeTwoBytesForAUnitUntilThereAreTooMany) {
  const StoredModel full = small_model(CompressionScheme::none, kUnits, kDimension);
  const auto few = fitted(VectorChoice::nearest, full, 0.1);
  EXPECT_EQ(few->bytes_per_new_unit(), 2);
  EXPECT_EQ(few->bytes(), decoding_bytes(few->arrays()));
  const SharedVectors many(VectorChoice::nearest, RowMatrix::Zero(70000, 1), {70000}, {0, 69999});
  EXPECT_EQ(many.bytes_per_new_unit(), 4);
  EXPECT_EQ(many.bytes(), decoding_bytes(many.arrays()));
  EXPECT_EQ(SharedVectors(VectorChoice::nearest, many.arrays()).vector_of(UnitId{1}), 69999u);
}

}  // namespace
}  // namespace meteor
