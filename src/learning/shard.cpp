#include "learning/shard.h"

#include <algorithm>

namespace meteor {

AttributeId WindowUnits::attribute_of(std::uint32_t slot) const {
  const auto end = std::upper_bound(attribute_ends.begin(), attribute_ends.end(), slot);
  return static_cast<AttributeId>(end - attribute_ends.begin());
}

WindowUnits count_units(const Window& window, std::span<const AttributeId> attributes, std::size_t attribute_count) {
  std::vector<UnitId> seen = window.units;
  std::sort(seen.begin(), seen.end(), [&](UnitId a, UnitId b) {
    const AttributeId of_a = attributes[index(a)];
    const AttributeId of_b = attributes[index(b)];
    return of_a != of_b ? of_a < of_b : a < b;
  });
  WindowUnits result;
  result.window = window.number;
  result.attribute_ends.assign(attribute_count, 0);
  for (UnitId unit : seen) {
    if (result.units.empty() || result.units.back() != unit) {
      result.units.push_back(unit);
      result.counts.push_back(0);
      ++result.attribute_ends[index(attributes[index(unit)])];
    }
    ++result.counts.back();
  }
  for (std::size_t a = 1; a < attribute_count; ++a) result.attribute_ends[a] += result.attribute_ends[a - 1];
  return result;
}

Shard whole_window(const Window& window, const WindowUnits& units) {
  std::vector<std::uint32_t> slot_of;  // by unit
  for (std::size_t slot = 0; slot < units.size(); ++slot) {
    const std::size_t unit = index(units.units[slot]);
    if (unit >= slot_of.size()) slot_of.resize(unit + 1);
    slot_of[unit] = static_cast<std::uint32_t>(slot);
  }
  Shard shard;
  shard.ends = window.ends;
  shard.record_numbers = window.record_numbers;
  shard.slots.reserve(window.units.size());
  for (UnitId unit : window.units) shard.slots.push_back(slot_of[index(unit)]);
  return shard;
}

SlotCounts count_slots(const Shard& shard, std::size_t window_units) {
  std::vector<std::uint32_t> counts(window_units);
  for (std::uint32_t slot : shard.slots) ++counts[slot];
  SlotCounts result;
  for (std::uint32_t slot = 0; slot < window_units; ++slot) {
    if (counts[slot] == 0) continue;
    result.slots.push_back(slot);
    result.counts.push_back(counts[slot]);
  }
  return result;
}

}  // namespace meteor
