#include "learning/valid_window.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/valid_numbers.h"

namespace meteor {
namespace {

void require(bool holds, std::string_view fault) {
  if (!holds) throw StorageError(std::string(fault));
}

template <class Number>
bool share_out(std::span<const Number> ends, std::size_t all) {
  return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == all;
}

void require_slots(std::span<const std::uint32_t> slots, std::size_t window_slots) {
  require(std::all_of(slots.begin(), slots.end(), [&](std::uint32_t slot) { return slot < window_slots; }),
          "a unit is told of that the window does not hold");
}

}  // namespace

void require_valid(const WindowUnits& units, std::size_t attributes) {
  require(units.counts.size() == units.size(), "a window does not have one count for every unit");
  require(std::find(units.counts.begin(), units.counts.end(), 0U) == units.counts.end(),
          "a unit of a window is in none of its records");
  require(units.attribute_ends.size() == attributes, "the units of a window are not grouped by its attributes");
  require(share_out<std::uint32_t>(units.attribute_ends, units.size()),
          "the ends of a window's attributes do not ascend to its units");
  for (std::size_t a = 0; a < attributes; ++a) {
    const auto group =
        std::span(units.units).subspan(units.attribute_begin(a), units.attribute_ends[a] - units.attribute_begin(a));
    require(std::adjacent_find(group.begin(), group.end(), std::greater_equal<>()) == group.end(),
            "the units of a window do not ascend");
  }
}

void require_known(const WindowUnits& units, std::span<const AttributeId> attributes) {
  for (std::size_t a = 0; a < units.attribute_ends.size(); ++a) {
    for (std::uint32_t slot = units.attribute_begin(a); slot < units.attribute_ends[a]; ++slot) {
      const std::size_t unit = index(units.units[slot]);
      require(unit < attributes.size(), "a window holds a unit that does not exist");
      require(index(attributes[unit]) == a, "a unit of a window is among those of another attribute");
    }
  }
}

void require_valid(const WindowSteps& steps, std::size_t slots) {
  require(steps.growths.size() == slots && steps.steps.rows() == slots, "a window has not one step for every unit");
  require_valid_numbers(steps.growths, "of growths");
  require(std::all_of(steps.growths.begin(), steps.growths.end(), [](float growth) { return growth >= 0; }),
          "an accumulator has shrunk");
  for (std::size_t i = 0; i < slots; ++i) require_valid_numbers(steps.steps.row(i), "of steps");
}

void require_valid(const SlotRows& rows, std::size_t window_slots, std::size_t dimension) {
  const std::size_t slots = rows.slots.size();
  require(
      rows.accumulators.size() == slots && rows.rows.rows() == slots && (slots == 0 || rows.rows.width() == dimension),
      "a window does not start with a row for each unit that it tells of");
  require_slots(rows.slots, window_slots);
}

void require_valid(EpochRange epochs, std::uint32_t all) {
  require(epochs.first <= epochs.end && epochs.end <= all, "a window has other epochs than the settings say");
}

void require_valid(const Shard& shard) {
  require(share_out<std::uint64_t>(shard.ends, shard.slots.size()), "the ends of a shard's records do not ascend");
  require(shard.record_numbers.size() == shard.ends.size(), "a shard does not number all of its records");
}

void require_records(const Shard& shard, std::size_t window_slots) {
  require_slots(shard.slots, window_slots);
  std::vector<std::size_t> last_record(window_slots);  // that held the slot, from 1
  for (std::size_t r = 0; r < shard.records(); ++r) {
    const auto record = shard.record(r);
    require(record.size() >= 2, "a record of a shard holds less than two units");
    for (const std::uint32_t slot : record) {
      require(std::exchange(last_record[slot], r + 1) != r + 1, "a record of a shard holds a unit twice");
    }
  }
}

void require_valid(const ShardUpdate& update, std::size_t window_slots, std::size_t dimension, std::size_t shards) {
  const std::size_t slots = update.slots.size();
  require(update.counts.size() == slots && update.growths.size() == slots && update.steps.rows() == slots &&
              (slots == 0 || update.steps.width() == dimension) &&
              update.other_steps.size() == update.other_slots.size() * dimension,
          "a shard does not have one step for every unit");
  require(std::adjacent_find(update.slots.begin(), update.slots.end(), std::greater_equal<>()) == update.slots.end(),
          "the units of a shard do not ascend");
  require(shards > 1 || slots == window_slots, "the only shard of a window does not hold all of its units");
  require_slots(update.slots, window_slots);
  require_slots(update.other_slots, window_slots);
}

}  // namespace meteor
