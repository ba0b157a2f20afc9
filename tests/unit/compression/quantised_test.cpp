#include "compression/baselines/quantised.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "fixtures/planted_model.h"
#include "fixtures/small_models.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

constexpr std::uint32_t kUnits = 300, kDimension = 21;  // codes do not end with a byte

AlignedRows decoded(const Embeddings& embeddings) {
  AlignedRows rows(embeddings.units(), kDimension);
  embeddings.decode(first_units(embeddings.units()), rows);
  return rows;
}

/// New rows of a few units, `scale` times as large as others.
WindowUpdate update_of(std::vector<UnitId> units, float scale) {
  Random random{4};
  AlignedRows rows(units.size(), kDimension);
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (float& x : rows.row(i)) x = scale * static_cast<float>(random.uniform() - 0.5);
  }
  return testing::plain_update(std::move(units), std::move(rows));
}

class QuantisedTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  const StoredModel full_ = small_model(CompressionScheme::none, kUnits, kDimension);
  const AlignedRows exact_ = decoded(*full_.model.embeddings);
  const Quantised quantised_{space_of(full_.model), kDimension, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Bits, QuantisedTest, ::testing::Values(1, 2, 3, 4, 7, 8, 11, 16));

TEST_P(QuantisedTest, NumbersAreWrongByAtMostHalfABin) {
  const AlignedRows rounded = decoded(quantised_);
  double worst = 0;
  for (std::size_t i = 0; i < kUnits; ++i) {
    for (std::size_t k = 0; k < kDimension; ++k) {
      worst = std::max(worst, std::abs(double{rounded.row(i)[k]} - double{exact_.row(i)[k]}));
    }
  }
  EXPECT_LE(worst, quantised_.width() / 2 + 1e-7);
  EXPECT_GT(worst, quantised_.width() / 4);
}

TEST_P(QuantisedTest, ASpaceThatIsNotFiniteIsRefused) {
  Uncompressed space(kDimension, full_.model.embeddings->arrays());
  space.row(UnitId{3})[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(Quantised(space, kDimension, GetParam()), NumericError);
}

TEST_P(QuantisedTest, ThereAreAsManyBinsAsBitsCanName) {
  const AlignedRows rounded = decoded(quantised_);
  std::set<float> levels;
  for (std::size_t i = 0; i < kUnits; ++i) {
    for (const float x : rounded.row(i)) levels.insert(x);
  }
  const std::size_t bins = std::size_t{1} << GetParam();
  EXPECT_LE(levels.size(), bins);
  if (bins < 256) {  // then every one has a number
    EXPECT_EQ(levels.size(), bins);
  }
}

TEST_P(QuantisedTest, AUnitTakesItsBitsAndNoMore) {
  const std::size_t per_unit = (kDimension * GetParam() + 7) / 8;
  EXPECT_EQ(quantised_.bytes_per_new_unit(), per_unit);
  EXPECT_EQ(quantised_.bytes(), kUnits * per_unit + 2 * sizeof(float) + 1);
  EXPECT_EQ(quantised_.bytes(), decoding_bytes(quantised_.arrays()));
}

TEST_P(QuantisedTest, ARangeThatWidensKeepsWhatItHeldWithinTheNewBins) {
  Quantised grown = quantised_;
  const AlignedRows before = decoded(grown);
  const UnitFacts facts = full_.model.facts();
  grown.absorb(update_of({UnitId{7}}, 3), facts, this_thread());
  EXPECT_GT(grown.width(), quantised_.width());
  const AlignedRows after = decoded(grown);
  for (std::size_t i = 0; i < kUnits; ++i) {
    for (std::size_t k = 0; i != 7 && k < kDimension; ++k) {
      ASSERT_LE(std::abs(double{after.row(i)[k]} - double{before.row(i)[k]}), grown.width() / 2 + 1e-6);
    }
  }
}

TEST_P(QuantisedTest, WhatAWindowDoesNotTouchStaysWhileTheRangeDoes) {
  Quantised same = quantised_;
  const AlignedRows before = decoded(same);
  const std::vector<UnitId> touched{UnitId{7}, UnitId{12}};
  const CompressionOutcome outcome = same.absorb(update_of(touched, 0.5F), full_.model.facts(), this_thread());
  const AlignedRows after = decoded(same);
  double error = 0;
  const WindowUpdate update = update_of(touched, 0.5F);
  for (std::size_t i = 0; i < kUnits; ++i) {
    const bool untouched = i != 7 && i != 12;
    const auto expected = untouched ? before.row(i) : update.rows.row(i == 7 ? 0 : 1);
    for (std::size_t k = 0; k < kDimension; ++k) {
      const double difference = double{after.row(i)[k]} - double{expected[k]};
      if (untouched) {
        ASSERT_EQ(difference, 0);
      }
      error += difference * difference;
    }
  }
  EXPECT_NEAR(outcome.squared_error, error, 1e-9);
}

}  // namespace
}  // namespace meteor
