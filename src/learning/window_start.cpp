#include "learning/window_start.h"

#include <algorithm>

#include "model/accumulators.h"
#include "model/unit_blocks.h"
#include "support/random.h"
#include "support/threads.h"

namespace meteor {
namespace {

constexpr float kSmallestAccumulator = 1e-12F;  // in place of AdaGrad's ε
constexpr std::uint64_t kNewUnits = 0x6e6577;   // keeps the streams of initial values apart from all others

}  // namespace

void start_new_unit(UnitId unit, std::uint64_t seed, std::span<float> row) {
  Random random{seed, kNewUnits, index(unit)};
  const float scale = 1.0F / static_cast<float>(row.size());
  for (float& value : row) value = (static_cast<float>(random.uniform()) - 0.5F) * scale;
}

void ModelStart::rebuild(std::span<const std::uint32_t> slots, std::span<float* const> places) const {
  std::vector<UnitId> known;
  std::vector<float*> known_places;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const UnitId unit = window_.units[slots[i]];
    if (index(unit) < model_.units()) {
      known.push_back(unit);
      known_places.push_back(places[i]);
    } else {
      start_new_unit(unit, seed_, {places[i], model_.dimension});
    }
  }
  auto place = known_places.begin();
  for_each_block(model_, known, [&](std::span<const UnitId> block, const AlignedRows& rows) {
    for (std::size_t i = 0; i < block.size(); ++i) std::copy(rows.row(i).begin(), rows.row(i).end(), *place++);
  });
}

float ModelStart::accumulator(std::uint32_t slot) const {
  const std::size_t unit = index(window_.units[slot]);
  return unit < model_.units() ? std::max(kSmallestAccumulator, accumulator_of(model_.accumulators[unit]))
                               : kSmallestAccumulator;
}

SlotRows known_rows(const WindowUnits& window, const Model& model, const SlotRows* given) {
  const SlotRows none;
  const SlotRows& added = given != nullptr ? *given : none;
  std::vector<bool> is_given(window.size());
  for (const std::uint32_t slot : added.slots) is_given[slot] = true;
  SlotRows known;
  std::vector<UnitId> units;
  for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
    const UnitId unit = window.units[slot];
    if (is_given[slot] || index(unit) >= model.units()) continue;
    known.slots.push_back(slot);
    known.accumulators.push_back(accumulator_of(model.accumulators[index(unit)]));
    units.push_back(unit);
  }
  known.rows = AlignedRows(units.size() + added.slots.size(), model.dimension);
  model.embeddings->decode(units, known.rows);
  for (std::size_t i = 0; i < added.slots.size(); ++i) {
    known.slots.push_back(added.slots[i]);
    known.accumulators.push_back(added.accumulators[i]);
    const auto row = added.rows.row(i);
    std::copy(row.begin(), row.end(), known.rows.row(units.size() + i).begin());
  }
  return known;
}

GivenStart::GivenStart(const WindowUnits& window, const SlotRows& given, std::size_t dimension, std::uint64_t seed,
                       const Model* model)
    : window_(window), given_(given), dimension_(dimension), seed_(seed), place_of_(window.size()) {
  if (model != nullptr) rest_.emplace(window, *model, seed);
  for (std::size_t i = 0; i < given_.slots.size(); ++i) place_of_[given_.slots[i]] = static_cast<std::uint32_t>(i) + 1;
}

void GivenStart::rebuild(std::span<const std::uint32_t> slots, std::span<float* const> places) const {
  std::vector<std::uint32_t> others;
  std::vector<float*> other_places;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (const std::uint32_t place = place_of_[slots[i]]) {
      std::copy_n(given_.rows.row(place - 1).begin(), dimension_, places[i]);
    } else if (rest_) {
      others.push_back(slots[i]);
      other_places.push_back(places[i]);
    } else {
      start_new_unit(window_.units[slots[i]], seed_, {places[i], dimension_});
    }
  }
  if (rest_) rest_->rebuild(others, other_places);
}

float GivenStart::accumulator(std::uint32_t slot) const {
  const std::uint32_t place = place_of_[slot];
  if (place > 0) return std::max(kSmallestAccumulator, given_.accumulators[place - 1]);
  return rest_ ? rest_->accumulator(slot) : kSmallestAccumulator;
}

void for_each_start(const WindowUnits& window, const WindowStart& start, std::size_t threads,
                    const std::function<void(std::span<const std::uint32_t>, const AlignedRows&)>& show) {
  constexpr std::size_t kBlock = 256;
  share_work(threads, (window.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t begin = block * kBlock;
    AlignedRows rows(std::min(kBlock, window.size() - begin), start.dimension());
    std::vector<std::uint32_t> slots;
    std::vector<float*> places;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      slots.push_back(static_cast<std::uint32_t>(begin + i));
      places.push_back(rows.row(i).data());
    }
    start.rebuild(slots, places);
    show(slots, rows);
  });
}

}  // namespace meteor
