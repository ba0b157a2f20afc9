#include "engine/window_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace meteor {
namespace {

constexpr std::size_t kDimension = 5;

TEST(WindowSteps, RoundsShareAllEpochsInTheirOrder) {
  for (const std::uint32_t epochs : {1u, 3u, 50u}) {
    for (std::uint32_t rounds = 1; rounds <= epochs; ++rounds) {
      std::uint32_t next = 0;
      for (std::uint32_t round = 0; round < rounds; ++round) {
        const EpochRange range = round_epochs(epochs, round, rounds);
        EXPECT_EQ(range.first, next);
        EXPECT_GT(range.end, range.first) << "no round is empty";
        next = range.end;
      }
      EXPECT_EQ(next, epochs);
    }
  }
}

WindowSteps steps_of(float value, std::size_t slots) {
  WindowSteps steps;
  steps.growths.assign(slots, value);
  steps.steps = AlignedRows(slots, kDimension);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (float& x : steps.steps.row(slot)) x = value * static_cast<float>(slot + 1);
  }
  steps.loss = value;
  steps.losses = 2;
  steps.unit_steps = 10;
  return steps;
}

TEST(WindowSteps, RoundsAddUpAndTheLossIsThatOfTheLast) {
  WindowSteps total;
  add_round(total, steps_of(1, 3));
  add_round(total, steps_of(4, 3));
  EXPECT_EQ(total.growths, std::vector<float>(3, 5));
  EXPECT_EQ(total.steps.row(2)[4], 15);
  EXPECT_EQ(total.loss, 4);
  EXPECT_EQ(total.losses, 2u);
  EXPECT_EQ(total.unit_steps, 20u);
}

TEST(WindowSteps, TheNextRoundStartsWhereTheLastOneEnded) {
  const WindowUnits units{3, {UnitId{1}, UnitId{4}, UnitId{6}}, {1, 1, 2}, {1, 3}};
  SlotRows rows{{0, 1, 2}, {0.5F, 1, 2}, AlignedRows(3, kDimension)};
  for (std::size_t slot = 0; slot < 3; ++slot) rows.rows.row(slot)[0] = 100;
  const GivenStart start(units, rows, kDimension, 1);
  WindowSteps steps = steps_of(2, 3);
  const SlotRows reached = advanced(units, start, 2, steps);
  EXPECT_EQ(reached.slots, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(reached.accumulators, (std::vector<float>{2.5F, 3, 4}));
  EXPECT_EQ(reached.rows.row(2)[0], 106);
  EXPECT_EQ(reached.rows.row(1)[3], 4);
  add_starts(units, start, 2, steps.steps);
  for (std::size_t slot = 0; slot < 3; ++slot) {
    EXPECT_TRUE(std::ranges::equal(steps.steps.row(slot), reached.rows.row(slot))) << slot;
  }
}

}  // namespace
}  // namespace meteor
