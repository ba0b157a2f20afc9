#include "learning/valid_window.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/error.h"

namespace meteor {
namespace {

constexpr std::size_t kSlots = 5, kDimension = 4;

TEST(ValidWindow, StartsWithARowForEachUnitThatItTellsOf) {
  const SlotRows rows{{1, 4}, {0.5F, 1}, AlignedRows(2, kDimension)};
  EXPECT_NO_THROW(require_valid(rows, kSlots, kDimension));
  EXPECT_NO_THROW(require_valid(SlotRows(), kSlots, kDimension));
  EXPECT_THROW(require_valid(rows, 4, kDimension), StorageError) << "a unit that the window does not hold";
  EXPECT_THROW(require_valid(rows, kSlots, kDimension + 1), StorageError);
  EXPECT_THROW(require_valid(SlotRows{{1, 4}, {1}, AlignedRows(2, kDimension)}, kSlots, kDimension), StorageError);
  EXPECT_THROW(require_valid(SlotRows{{1, 4}, {1, 1}, AlignedRows(1, kDimension)}, kSlots, kDimension), StorageError);
}

TEST(ValidWindow, HasSomeOfTheEpochsThatTheSettingsAskFor) {
  for (const EpochRange epochs : {EpochRange{0, 0}, {0, 3}, {1, 2}, {3, 3}}) EXPECT_NO_THROW(require_valid(epochs, 3));
  for (const EpochRange epochs : {EpochRange{0, 4}, {2, 1}, {0, 4'000'000'000}}) {
    EXPECT_THROW(require_valid(epochs, 3), StorageError);
  }
}

TEST(ValidWindow, HasRecordsOfTwoOrMoreDifferentUnits) {
  const auto refuses = [](std::vector<std::uint32_t> slots, std::vector<std::uint64_t> ends) {
    const Shard shard{0, std::move(slots), ends, ends};
    EXPECT_NO_THROW(require_valid(shard));
    try {
      require_records(shard, kSlots);
    } catch (const StorageError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refuses({}, {}));
  EXPECT_FALSE(refuses({0, 1, 4, 1, 0}, {2, 5}));
  EXPECT_TRUE(refuses({0, 1, 5, 1, 0}, {2, 5})) << "the window has five";
  EXPECT_TRUE(refuses({0, 1, 4}, {2, 3})) << "a unit alone";
  EXPECT_TRUE(refuses({0, 1, 4, 2}, {2, 2, 4})) << "a record of nothing";
  EXPECT_TRUE(refuses({0, 1, 4, 1, 4}, {2, 5})) << "a unit twice";
}

TEST(ValidWindow, LearnsAStepForEachUnitOfAShardInTheirOrder) {
  const auto refuses = [](std::size_t shards, const std::vector<std::uint32_t>& slots,
                          const std::function<void(ShardUpdate&)>& change = {}) {
    ShardUpdate update;
    update.slots = slots;
    update.counts.assign(slots.size(), 1);
    update.growths.assign(slots.size(), 1);
    update.steps = AlignedRows(slots.size(), kDimension);
    update.other_slots = {3};
    update.other_steps.resize(kDimension);
    if (change) change(update);
    try {
      require_valid(update, kSlots, kDimension, shards);
    } catch (const StorageError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refuses(2, {0, 4}));
  EXPECT_FALSE(refuses(1, {0, 1, 2, 3, 4}));
  EXPECT_TRUE(refuses(1, {0, 1, 2, 4})) << "whoever has learnt all records has learnt all units";
  EXPECT_TRUE(refuses(2, {0, 5}));
  EXPECT_TRUE(refuses(2, {4, 0}));
  EXPECT_TRUE(refuses(2, {4, 4}));
  EXPECT_TRUE(refuses(2, {0, 4}, [](ShardUpdate& update) { update.counts.pop_back(); }));
  EXPECT_TRUE(refuses(2, {0, 4}, [](ShardUpdate& update) { update.growths.pop_back(); }));
  EXPECT_TRUE(refuses(2, {0, 4}, [](ShardUpdate& update) { update.steps = AlignedRows(1, kDimension); }));
  EXPECT_TRUE(refuses(2, {0, 4}, [](ShardUpdate& update) { update.steps = AlignedRows(2, kDimension + 1); }));
  EXPECT_TRUE(refuses(2, {0, 4}, [](ShardUpdate& update) { update.other_slots[0] = 5; }));
  EXPECT_TRUE(refuses(2, {0, 4}, [](ShardUpdate& update) { update.other_slots.push_back(1); }));
}

}  // namespace
}  // namespace meteor
