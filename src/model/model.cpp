#include "model/model.h"

#include <algorithm>
#include <limits>

#include "model/accumulators.h"
#include "model/drop_units.h"

namespace meteor {

CompressionOutcome Model::absorb(const WindowUpdate& update, BlockWorkers& workers) {
  const std::size_t known = units();
  std::size_t highest = known;
  for (UnitId unit : update.units) highest = std::max(highest, index(unit) + 1);
  attributes.resize(highest);
  accumulators.resize(highest);
  counts.resize(highest);
  last_windows.resize(highest);
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    const std::size_t unit = index(update.units[i]);
    attributes[unit] = update.attributes[i];
    accumulators[unit] = accumulator_byte(update.accumulators[i], update.window, update.units[i]);
    counts[unit] += std::min(update.counts[i], std::numeric_limits<std::uint32_t>::max() - counts[unit]);
    last_windows[unit] = static_cast<std::uint32_t>(update.window);
  }
  windows = update.window + 1;
  CompressionOutcome outcome = embeddings->absorb(update, facts(), workers);
  if (!embeddings->compressed()) return outcome;
  std::vector<std::uint16_t> new_attributes;
  for (std::size_t i = known; i < highest; ++i) new_attributes.push_back(static_cast<std::uint16_t>(attributes[i]));
  outcome.changes.push_back(own_array("changed/new_attribute", std::move(new_attributes)));
  std::vector<std::uint8_t> new_accumulators;
  for (const UnitId unit : update.units) new_accumulators.push_back(accumulators[index(unit)]);
  outcome.changes.push_back(own_array("changed/accumulator", std::move(new_accumulators)));
  return outcome;
}

void Model::follow(std::span<const UnitId> units, std::span<const Array> changes) {
  const auto new_attributes = find_array(changes, "changed/new_attribute").as<std::uint16_t>();
  const auto values = find_array(changes, "changed/accumulator").as<std::uint8_t>();
  const std::size_t known = attributes.size();
  const std::size_t highest = known + new_attributes.size();
  if (values.size() != units.size() ||
      std::any_of(units.begin(), units.end(), [&](UnitId unit) { return index(unit) >= highest; })) {
    throw StorageError("the changes of a window are about other units than those that exist");
  }
  std::vector<bool> told(new_attributes.size());
  for (const UnitId unit : units) {
    if (index(unit) >= known) told[index(unit) - known] = true;
  }
  if (std::find(told.begin(), told.end(), false) != told.end()) {
    throw StorageError("the changes of a window do not tell of all units that are new");
  }
  for (const std::uint16_t attribute : new_attributes) attributes.push_back(AttributeId{attribute});
  accumulators.resize(highest);
  for (std::size_t i = 0; i < units.size(); ++i) accumulators[index(units[i])] = values[i];
  embeddings->follow(units, changes);
}

bool Model::forget(std::span<const UnitId> units, BlockWorkers& workers) {
  drop_units(attributes, units);
  drop_units(accumulators, units);
  drop_units(counts, units);
  drop_units(last_windows, units);
  return embeddings->forget(units, facts(), workers);
}

std::vector<Array> Model::arrays() const {
  static_assert(sizeof(AttributeId) == sizeof(std::uint16_t));
  std::vector<Array> all;
  all.push_back({"units/attribute", ElementType::u16, {units()}, attributes.data(), Purpose::description});
  all.push_back(view_array<std::uint32_t>("units/count", counts, Purpose::description));
  all.push_back(view_array<std::uint32_t>("units/last_window", last_windows, Purpose::description));
  all.push_back(view_array<std::uint8_t>("units/accumulator", accumulators));
  for (Array& array : embeddings->arrays()) all.push_back(std::move(array));
  return all;
}

}  // namespace meteor
