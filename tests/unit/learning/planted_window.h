#pragma once

#include <cstdint>
#include <vector>

#include "fixtures/planted_model.h"
#include "learning/learn.h"
#include "support/random.h"

namespace meteor::testing {

inline constexpr std::uint32_t kGroups = 4, kUsersPerGroup = 5, kItemsPerGroup = 8;
inline constexpr std::uint32_t kUsers = kGroups * kUsersPerGroup, kItems = kGroups * kItemsPerGroup;

/// Users 0 to 19, then items 20 to 51; a record is a user and three items of one group. Record numbers start at 1000.
struct PlantedWindow {
  explicit PlantedWindow(std::size_t records, std::uint64_t number = 0) {
    Random random{99, number};
    window.number = number;
    for (std::size_t r = 0; r < records; ++r) {
      const std::uint32_t group = random.below(kGroups), first = random.below(kItemsPerGroup);
      window.units.push_back(UnitId{group * kUsersPerGroup + random.below(kUsersPerGroup)});
      for (std::uint32_t i = 0; i < 3; ++i) {
        window.units.push_back(UnitId{kUsers + group * kItemsPerGroup + (first + i) % kItemsPerGroup});
      }
      window.ends.push_back(window.units.size());
      window.record_numbers.push_back(1000 + r);
    }
    for (std::uint32_t i = 0; i < kUsers + kItems; ++i)
      attributes.push_back(AttributeId{i < kUsers ? std::uint16_t{0} : std::uint16_t{1}});
    units = count_units(window, attributes, 2);
    shard = whole_window(window, units);
  }

  ShardUpdate learn_from(const Model& model, const LearningSettings& settings) const {
    const ModelStart start(units, model, settings.seed);
    CostlyEmbeddings costly(units, shard, start);
    return learn(units, shard, costly, settings, all_epochs(settings), best_record_kernel());
  }

  Window window;
  std::vector<AttributeId> attributes;
  WindowUnits units;
  Shard shard;
};

inline LearningSettings small_settings(std::uint32_t epochs) {
  LearningSettings settings;
  settings.dimension = 12;
  settings.epochs = epochs;
  settings.shift = 0;
  return settings;
}

}  // namespace meteor::testing
