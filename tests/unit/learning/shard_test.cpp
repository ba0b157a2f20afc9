#include "learning/shard.h"

#include <gmock/gmock.h>

#include <map>

#include "support/random.h"

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

/// A window of records of very different lengths: most hold two units, a few hold hundreds.
struct SkewedWindow {
  explicit SkewedWindow(std::size_t records) {
    Random random{3, records};
    window.number = 5;
    for (std::size_t r = 0; r < records; ++r) {
      const std::uint32_t length = r % 40 == 17 ? 100 + random.below(400) : 2 + random.below(3);
      for (std::uint32_t i = 0; i < length; ++i) window.units.push_back(UnitId{random.below(2) + 2 * i});
      window.ends.push_back(window.units.size());
      window.record_numbers.push_back(10 + 3 * r);
    }
    units = count_units(window, std::vector<AttributeId>(1000), 1);
  }

  Window window;
  WindowUnits units;
};

double cost_of(const Shard& shard) {
  double cost = 0;
  for (std::size_t r = 0; r < shard.records(); ++r) cost += record_cost(shard.record(r).size());
  return cost;
}

TEST(CutShards, EveryRecordIsInOneShardInTheOrderOfTheWindow) {
  const SkewedWindow skewed(500);
  for (std::size_t count : {2, 3, 8, 64}) {
    const auto shards = cut_shards(skewed.window, skewed.units, count);
    ASSERT_EQ(shards.size(), count);
    std::map<std::uint64_t, std::vector<UnitId>> found;  // by record number
    for (std::uint32_t number = 0; number < count; ++number) {
      const Shard& shard = shards[number];
      EXPECT_EQ(shard.number, number);
      EXPECT_TRUE(std::is_sorted(shard.record_numbers.begin(), shard.record_numbers.end()));
      for (std::size_t r = 0; r < shard.records(); ++r) {
        std::vector<UnitId> record;
        for (std::uint32_t slot : shard.record(r)) record.push_back(skewed.units.units[slot]);
        EXPECT_TRUE(found.emplace(shard.record_numbers[r], record).second) << "in two shards";
      }
    }
    ASSERT_EQ(found.size(), 500u);
    for (std::size_t r = 0; r < 500; ++r) {
      EXPECT_THAT(found[skewed.window.record_numbers[r]], ::testing::ElementsAreArray(skewed.window.record(r)));
    }
  }
}

TEST(CutShards, CostsDifferByNoMoreThanTheLargestRecord) {
  const SkewedWindow skewed(4000);
  double largest = 0, total = 0;
  for (std::size_t r = 0; r < skewed.window.records(); ++r) {
    const double cost = record_cost(skewed.window.record(r).size());
    largest = std::max(largest, cost);
    total += cost;
  }
  for (std::size_t count : {2, 3, 7}) {
    double least = total, most = 0;
    for (const Shard& shard : cut_shards(skewed.window, skewed.units, count)) {
      least = std::min(least, cost_of(shard));
      most = std::max(most, cost_of(shard));
    }
    EXPECT_LE(most - least, largest * (1 + 1e-9)) << count;
    EXPECT_LT(most, 1.05 * total / static_cast<double>(count));
  }
}

TEST(CutShards, ThereAreNeverMoreShardsThanRecords) {
  for (std::size_t records : {1, 2, 5}) {
    const SkewedWindow skewed(records);
    const auto shards = cut_shards(skewed.window, skewed.units, 100);
    ASSERT_EQ(shards.size(), records);
    for (const Shard& shard : shards) EXPECT_EQ(shard.records(), 1u);
  }
}

TEST(CutShards, OneShardIsTheWholeWindow) {
  const SkewedWindow skewed(100);
  const auto shards = cut_shards(skewed.window, skewed.units, 1);
  ASSERT_EQ(shards.size(), 1u);
  const Shard whole = whole_window(skewed.window, skewed.units);
  EXPECT_EQ(shards[0].slots, whole.slots);
  EXPECT_EQ(shards[0].ends, skewed.window.ends);
  EXPECT_EQ(shards[0].record_numbers, skewed.window.record_numbers);
}

TEST(CutShards, TheCutDependsOnNothingButTheWindowAndTheCount) {
  const SkewedWindow one(300), same(300);
  cut_shards(one.window, one.units, 5);
  const auto first = cut_shards(one.window, one.units, 7), second = cut_shards(same.window, same.units, 7);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].slots, second[i].slots);
    EXPECT_EQ(first[i].record_numbers, second[i].record_numbers);
  }
}

TEST(RecordCost, GrowsWithTheRecordAndLinearlyForLongOnes) {
  for (std::size_t units = 2; units < 2000; ++units) ASSERT_GT(record_cost(units + 1), record_cost(units));
  EXPECT_DOUBLE_EQ(record_cost(3000) - record_cost(2000), record_cost(2000) - record_cost(1000));
}

}  // namespace
}  // namespace meteor
