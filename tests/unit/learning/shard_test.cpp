#include "learning/shard.h"

#include <gmock/gmock.h>

namespace meteor {
namespace {

using ::testing::ElementsAre;

std::vector<UnitId> ids(std::initializer_list<std::uint32_t> numbers) {
  std::vector<UnitId> units;
  for (std::uint32_t number : numbers) units.push_back(UnitId{number});
  return units;
}

/// Attributes of units 0 to 5; nothing has attribute 1.
const std::vector<AttributeId> kAttributes{AttributeId{2}, AttributeId{0}, AttributeId{2},
                                           AttributeId{0}, AttributeId{2}, AttributeId{0}};

Window three_records() {
  Window window;
  window.number = 7;
  window.units = ids({4, 1, 3, 0, 4, 4, 1});
  window.ends = {3, 5, 7};
  window.record_numbers = {20, 22, 25};
  return window;
}

TEST(WindowUnits, SlotsAreGroupedByAttributeAndOrderedByUnit) {
  const WindowUnits units = count_units(three_records(), kAttributes, 3);
  EXPECT_EQ(units.window, 7u);
  EXPECT_EQ(units.units, ids({1, 3, 0, 4}));
  EXPECT_THAT(units.counts, ElementsAre(2, 1, 1, 3));
  EXPECT_THAT(units.attribute_ends, ElementsAre(2, 2, 4));
  EXPECT_EQ(units.attribute_begin(0), 0u);
  EXPECT_EQ(units.attribute_begin(1), 2u);
  EXPECT_EQ(units.attribute_begin(2), 2u);
}

TEST(WindowUnits, AttributeOfASlotSkipsAttributesWithoutUnits) {
  const WindowUnits units = count_units(three_records(), kAttributes, 3);
  for (std::uint32_t slot = 0; slot < units.size(); ++slot) {
    EXPECT_EQ(units.attribute_of(slot), kAttributes[index(units.units[slot])]) << "slot " << slot;
  }
}

TEST(WindowUnits, OfAnEmptyWindowAreNone) {
  const WindowUnits units = count_units(Window{}, kAttributes, 3);
  EXPECT_EQ(units.size(), 0u);
  EXPECT_THAT(units.attribute_ends, ElementsAre(0, 0, 0));
}

TEST(Shard, OfTheWholeWindowHoldsEveryRecordInOrder) {
  const Window window = three_records();
  const WindowUnits units = count_units(window, kAttributes, 3);
  const Shard shard = whole_window(window, units);
  EXPECT_EQ(shard.number, 0u);
  ASSERT_EQ(shard.records(), 3u);
  EXPECT_THAT(shard.record_numbers, ElementsAre(20, 22, 25));
  for (std::size_t r = 0; r < 3; ++r) {
    std::vector<UnitId> record;
    for (std::uint32_t slot : shard.record(r)) record.push_back(units.units[slot]);
    EXPECT_THAT(record, ::testing::ElementsAreArray(window.record(r))) << "record " << r;
  }
}

TEST(Shard, CountsTheSlotsThatItHolds) {
  Shard shard;
  shard.slots = {5, 2, 5, 0};
  shard.ends = {2, 4};
  const SlotCounts counted = count_slots(shard, 7);
  EXPECT_THAT(counted.slots, ElementsAre(0, 2, 5));
  EXPECT_THAT(counted.counts, ElementsAre(1, 1, 2));
}

}  // namespace
}  // namespace meteor
