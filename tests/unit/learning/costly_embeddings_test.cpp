#include "learning/costly_embeddings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;
using testing::random_rows;

WindowUnits window_of(std::size_t units) {
  WindowUnits window;
  window.units = first_units(units);
  window.counts.assign(units, 1);
  window.attribute_ends = {static_cast<std::uint32_t>(units)};
  return window;
}

const float* rebuilt_row(CostlyEmbeddings& costly, std::uint32_t slot) {
  const float* const row = costly.row(slot);
  costly.rebuild_drawn();
  return row;
}

TEST(CostlyEmbeddings, NewUnitsStartSmallAndTheSameForEveryoneWhoAsks) {
  const Model model = empty_model(20);
  const WindowUnits window = window_of(100);
  Shard all;
  all.slots.resize(100);
  std::iota(all.slots.begin(), all.slots.end(), 0u);
  const ModelStart start(window, model, 5), other_start(window, model, 6);
  CostlyEmbeddings together(window, all, start), alone(window, {}, start), other_seed(window, {}, other_start);
  double sum = 0, largest = 0;
  for (std::uint32_t slot = 100; slot-- > 0;) {
    const float* const row = together.row(slot);
    EXPECT_TRUE(std::equal(row, row + together.width(), rebuilt_row(alone, slot)));
    EXPECT_FALSE(std::equal(row, row + 20, rebuilt_row(other_seed, slot)));
    for (std::size_t i = 0; i < 20; ++i) {
      sum += row[i];
      largest = std::max<double>(largest, std::abs(row[i]));
    }
  }
  EXPECT_LE(largest, 0.5 / 20);
  EXPECT_GT(largest, 0.49 / 20);
  EXPECT_NEAR(sum / 2000, 0, 0.002);
  EXPECT_FALSE(std::equal(together.row(0), together.row(0) + 20, together.row(1)));
}

TEST(CostlyEmbeddings, AUnitStartsTheSameInAnyWindow) {
  const Model model = empty_model(8);
  WindowUnits few;
  few.units = {UnitId{3}, UnitId{9}};
  const WindowUnits many = window_of(10);
  const ModelStart start_of_few(few, model, 1), start_of_many(many, model, 1);
  CostlyEmbeddings in_few(few, {}, start_of_few), in_many(many, {}, start_of_many);
  const float* const row = rebuilt_row(in_few, 1);
  EXPECT_TRUE(std::equal(row, row + 8, rebuilt_row(in_many, 9)));
}

TEST(CostlyEmbeddings, KnownUnitsAreDecodedAndTheirAccumulatorsFilled) {
  Random random{1};
  Model model = empty_model(5);
  WindowUpdate update = plain_update(first_units(4), random_rows(4, 5, random));
  update.accumulators = {0.25F, 4, 0, 64};
  model.absorb(update, this_thread());
  const WindowUnits window = window_of(6);
  Shard shard;
  shard.slots = {5, 0, 3, 1, 0};
  const ModelStart start(window, model, 1);
  CostlyEmbeddings costly(window, shard, start);
  EXPECT_EQ(costly.dimension(), 5u);
  ASSERT_EQ(costly.width(), 16u);
  EXPECT_EQ(costly.own().slots, (std::vector<std::uint32_t>{0, 1, 3, 5}));
  const float accumulators[] = {0.25F, 4, 1e-12F, 64, 1e-12F, 1e-12F};
  for (std::uint32_t slot = 0; slot < 6; ++slot) {  // 2 and 4 are drawn
    const float* const row = rebuilt_row(costly, slot);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(row) % 64, 0u);
    for (std::size_t i = 0; i < 16; ++i) {
      if (i >= 5) {
        EXPECT_EQ(row[i], 0.0F) << "padding";
      } else if (slot < 4) {
        EXPECT_EQ(row[i], update.rows.row(slot)[i]);
      }
      EXPECT_EQ(row[16 + i], accumulators[slot]);
    }
  }
}

TEST(CostlyEmbeddings, RowsDoNotMoveWhileOthersAreRebuilt) {
  const Model model = empty_model(3);
  const WindowUnits window = window_of(2000);
  const ModelStart start(window, model, 1);
  CostlyEmbeddings costly(window, {}, start);
  float* const first = costly.row(0);
  costly.rebuild_drawn();
  first[0] = 42;
  std::vector<const float*> rows;
  for (std::uint32_t slot = 0; slot < 2000; ++slot) rows.push_back(costly.row(slot));
  costly.rebuild_drawn();
  EXPECT_EQ(costly.row(0), first);
  EXPECT_EQ(first[0], 42);
  for (std::uint32_t slot = 0; slot < 2000; ++slot) ASSERT_EQ(costly.row(slot), rows[slot]);
  std::sort(rows.begin(), rows.end());
  for (std::size_t i = 1; i < rows.size(); ++i) ASSERT_GE(rows[i] - rows[i - 1], 32) << "rows overlap";
}

TEST(CostlyEmbeddings, OwnStepsAreWhatWasLearntSinceTheStart) {
  Random random{2};
  Model model = empty_model(20);
  model.absorb(plain_update(first_units(50), random_rows(50, 20, random)), this_thread());
  Shard shard;
  shard.slots = {7, 3, 40};
  const WindowUnits window = window_of(50);
  const ModelStart start(window, model, 1);
  CostlyEmbeddings costly(window, shard, start);
  const std::uint32_t slots[] = {3, 7, 40};
  for (std::uint32_t slot : slots) {
    for (std::size_t k = 0; k < 20; ++k) costly.row(slot)[k] += static_cast<float>(slot);
  }
  const AlignedRows steps = costly.take_own_steps();
  ASSERT_EQ(steps.rows(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    for (float step : steps.row(i)) EXPECT_NEAR(step, slots[i], 1e-5F);
    for (std::size_t k = 20; k < 32; ++k) EXPECT_EQ(steps.row(i).data()[k], 0.0F) << "padding";
  }
}

TEST(CostlyEmbeddings, OtherStepsAreThoseOfUnitsThatTheShardDoesNotHold) {
  Random random{2};
  Model model = empty_model(20);
  model.absorb(plain_update(first_units(50), random_rows(50, 20, random)), this_thread());
  Shard shard;
  shard.slots = {7, 3};
  const WindowUnits window = window_of(50);
  const ModelStart start(window, model, 1);
  CostlyEmbeddings costly(window, shard, start);
  EXPECT_TRUE(costly.others().empty());
  for (const std::uint32_t slot : {31u, 7u, 12u}) {
    float* const row = costly.row(slot);
    costly.rebuild_drawn();
    for (std::size_t k = 0; k < 20; ++k) row[k] += static_cast<float>(slot);
  }
  EXPECT_EQ(costly.others(), (std::vector<std::uint32_t>{31, 12}));
  const std::vector<std::uint16_t> steps = costly.other_steps();
  ASSERT_EQ(steps.size(), 40u);
  for (std::size_t k = 0; k < 40; ++k) EXPECT_NEAR(from_bfloat16(steps[k]), k < 20 ? 31 : 12, 0.1);
}

TEST(CostlyEmbeddings, AnAccumulatorGrowsByTheSquareOfTheMeanOfItsRootsLessItsStart) {
  Model model = empty_model(4);
  WindowUpdate update = plain_update(first_units(1), AlignedRows(1, 4));
  update.accumulators = {1};
  model.absorb(update, this_thread());
  const WindowUnits window = window_of(1);
  const ModelStart start(window, model, 1);
  CostlyEmbeddings costly(window, {}, start);
  float* const accumulator = costly.row(0) + costly.width();
  costly.rebuild_drawn();
  const float values[] = {1, 4, 9, 16};
  std::copy(values, values + 4, accumulator);
  EXPECT_FLOAT_EQ(costly.accumulator_growth(0), 5.25F);
}

}  // namespace
}  // namespace meteor
