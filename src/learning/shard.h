#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/window.h"

namespace meteor {

/// The distinct units of a window. A unit's place here is its *slot*: slots are grouped by attribute and ordered by id
/// inside.
struct WindowUnits {
  std::uint64_t window = 0;
  std::vector<UnitId> units;
  std::vector<std::uint32_t> counts;          ///< records of the window that hold the unit
  std::vector<std::uint32_t> attribute_ends;  ///< where each attribute's slots end

  std::size_t size() const { return units.size(); }
  std::uint32_t attribute_begin(std::size_t attribute) const {
    return attribute == 0 ? 0 : attribute_ends[attribute - 1];
  }
  AttributeId attribute_of(std::uint32_t slot) const;
};

/// The part of a window's records that is learnt in one go, as slots.
struct Shard {
  std::uint32_t number = 0;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint64_t> ends;            ///< where each record ends in `slots`
  std::vector<std::uint64_t> record_numbers;  ///< of each record in the input, for messages

  std::size_t records() const { return ends.size(); }
  std::span<const std::uint32_t> record(std::size_t i) const {
    const std::uint64_t first = i == 0 ? 0 : ends[i - 1];
    return std::span(slots).subspan(first, ends[i] - first);
  }
};

/// Counts the units of a window; `attributes` gives the attribute of every unit.
WindowUnits count_units(const Window& window, std::span<const AttributeId> attributes, std::size_t attribute_count);

/// What learning a record of so many units costs, in an arbitrary unit.
double record_cost(std::size_t units);

/// Cuts a window into shards of nearly equal cost, each a sample of the whole: records go in their order to the shard
/// that has least to do. There are never more shards than records.
std::vector<Shard> cut_shards(const Window& window, const WindowUnits& units, std::size_t shards);

/// The whole window as one shard.
Shard whole_window(const Window& window, const WindowUnits& units);

/// The distinct slots of a shard, ascending, and how many of its records hold each.
struct SlotCounts {
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> counts;
};
SlotCounts count_slots(const Shard& shard, std::size_t window_units);

}  // namespace meteor
