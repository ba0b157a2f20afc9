#include "learning/inheritance.h"

#include <algorithm>
#include <map>

#include "model/unit_blocks.h"

namespace meteor {
namespace {

constexpr std::size_t kSample = 64;  // units of a category

/// Up to kSample of the category's units that the model knows, evenly spaced among them.
std::vector<UnitId> sample(std::span<const UnitId> members, std::size_t known) {
  const auto end = std::lower_bound(members.begin(), members.end(), known,
                                    [](UnitId unit, std::size_t limit) { return index(unit) < limit; });
  const auto count = static_cast<std::size_t>(end - members.begin());
  std::vector<UnitId> sampled;
  for (std::size_t i = 0; i < std::min(count, kSample); ++i) {
    sampled.push_back(members[i * count / std::min(count, kSample)]);
  }
  return sampled;
}

std::vector<float> mean_of(const Model& model, std::span<const UnitId> units) {
  std::vector<double> sum(model.dimension);
  for_each_block(model, units, [&](std::span<const UnitId> block, const AlignedRows& rows) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += rows.row(i)[k];
    }
  });
  std::vector<float> mean;
  mean.reserve(sum.size());
  for (const double value : sum) mean.push_back(static_cast<float>(value / static_cast<double>(units.size())));
  return mean;
}

}  // namespace

SlotRows inherited_rows(const WindowUnits& window, const Model& model, const UnitCategories& categories,
                        std::uint64_t seed) {
  SlotRows inherited;
  std::map<CategoryKey, std::vector<float>> means;  // empty where the model knows nobody
  std::vector<const std::vector<float>*> mean_of_slot;
  for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
    const UnitId unit = window.units[slot];
    if (index(unit) < model.units() || categories.of(unit) == CategoryKey::none) continue;
    const auto [mean, fresh] = means.try_emplace(categories.of(unit));
    if (fresh) {
      const auto relatives = sample(categories.members(mean->first), model.units());
      if (!relatives.empty()) mean->second = mean_of(model, relatives);
    }
    if (mean->second.empty()) continue;
    inherited.slots.push_back(slot);
    mean_of_slot.push_back(&mean->second);
  }
  inherited.accumulators.resize(inherited.slots.size());
  inherited.rows = AlignedRows(inherited.slots.size(), model.dimension);
  for (std::size_t i = 0; i < inherited.slots.size(); ++i) {
    const auto row = inherited.rows.row(i);
    start_new_unit(window.units[inherited.slots[i]], seed, row);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] += (*mean_of_slot[i])[k];
  }
  return inherited;
}

}  // namespace meteor
