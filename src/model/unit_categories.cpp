#include "model/unit_categories.h"

#include <utility>

#include "model/drop_units.h"

namespace meteor {

void UnitCategories::add(std::span<const CategoryKey> categories) {
  for (const CategoryKey category : categories) {
    const UnitId unit{static_cast<std::uint32_t>(of_.size())};
    of_.push_back(category);
    if (category != CategoryKey::none) members_[category].push_back(unit);
  }
}

void UnitCategories::forget(std::span<const UnitId> units) {
  std::vector<CategoryKey> left = std::exchange(of_, {});
  drop_units(left, units);
  members_.clear();
  add(left);
}

std::span<const UnitId> UnitCategories::members(CategoryKey category) const {
  const auto found = members_.find(category);
  return found == members_.end() ? std::span<const UnitId>() : found->second;
}

}  // namespace meteor
