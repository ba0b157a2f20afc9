#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "fixtures/this_thread.h"
#include "support/abandonment.h"
#include "unit/learning/planted_window.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::kItems;
using testing::kUsers;
using testing::plain_update;
using testing::PlantedWindow;
using testing::random_rows;
using testing::small_settings;

/// A model that knows all units, with one value broken.
Model model_with(float broken, UnitId unit) {
  Random random{3};
  Model model = empty_model(12);
  WindowUpdate update = plain_update(first_units(kUsers + kItems), random_rows(kUsers + kItems, 12, random));
  update.rows.row(index(unit))[4] = broken;
  model.absorb(update, this_thread());
  return model;
}

TEST(Learn, ABrokenEmbeddingIsReportedWithItsWindowRecordAndUnit) {
  const PlantedWindow planted(60, 8);
  for (std::size_t place : {0, 1, 3}) {
    const UnitId unit = planted.window.record(5)[place];
    std::size_t first_record = 0;
    while (std::count(planted.window.record(first_record).begin(), planted.window.record(first_record).end(), unit) ==
           0)
      ++first_record;
    for (float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      try {
        planted.learn_from(model_with(broken, unit), small_settings(2));
        FAIL() << "nothing was thrown for " << broken;
      } catch (const NotFinite& error) {
        EXPECT_EQ(error.window, 8u);
        EXPECT_EQ(error.record, 1000 + first_record);
        EXPECT_EQ(error.unit, unit) << "place " << place << " of the record, " << broken;
        EXPECT_STREQ(error.what(), ("window 8: record " + std::to_string(1000 + first_record) +
                                    ": the embedding of unit " + std::to_string(index(unit)) + " is not finite")
                                       .c_str());
      }
    }
  }
}

TEST(Learn, ABrokenNegativeOfAnotherShardIsReported) {
  const PlantedWindow planted(60, 8);
  Shard part;
  part.slots.assign(planted.shard.slots.begin(), planted.shard.slots.begin() + 4);
  part.ends = {4};
  part.record_numbers = {1000};
  UnitId elsewhere{kUsers};  // an item that the record does not hold
  while (std::count(planted.window.units.begin(), planted.window.units.begin() + 4, elsewhere) > 0) {
    elsewhere = UnitId{static_cast<std::uint32_t>(index(elsewhere)) + 1};
  }
  const Model model = model_with(std::numeric_limits<float>::quiet_NaN(), elsewhere);
  const ModelStart start(planted.units, model, 1);
  CostlyEmbeddings costly(planted.units, part, start);
  try {
    learn(planted.units, part, costly, small_settings(50), {0, 50}, best_record_kernel());
    FAIL() << "nothing was thrown";
  } catch (const NotFinite& error) {
    EXPECT_EQ(error.record, 1000u);
    EXPECT_EQ(error.unit, elsewhere);
  }
}

TEST(Learn, AnEnormousRateIsReportedOrStaysFinite) {
  const PlantedWindow planted(60);
  for (double rate : {1e3, 1e15, 1e30, 3e38}) {
    LearningSettings settings = small_settings(5);
    settings.rate = rate;
    try {
      const ShardUpdate update = planted.learn_from(empty_model(12), settings);
      for (std::size_t i = 0; i < update.steps.rows(); ++i) {
        for (float x : update.steps.row(i)) ASSERT_TRUE(std::isfinite(x)) << rate;
        ASSERT_TRUE(std::isfinite(update.growths[i])) << rate;
      }
    } catch (const NotFinite& error) {
      EXPECT_EQ(error.window, 0u);
    }
  }
}

TEST(Learn, IsGivenUpAmidARound) {
  const PlantedWindow planted(40);
  const LearningSettings settings = small_settings(1000000000);  // it would never end
  const Model model = empty_model(12);
  const ModelStart start(planted.units, model, settings.seed);
  CostlyEmbeddings costly(planted.units, planted.shard, start);
  int asked = 0;
  EXPECT_THROW(learn(planted.units, planted.shard, costly, settings, all_epochs(settings), best_record_kernel(),
                     [&] { return ++asked > 100; }),
               Abandoned);
  EXPECT_EQ(asked, 101);
}

}  // namespace
}  // namespace meteor
