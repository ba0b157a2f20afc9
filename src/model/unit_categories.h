#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "support/ids.h"

namespace meteor {

/// The category of every unit, and the units of every category.
class UnitCategories {
 public:
  UnitCategories() = default;
  explicit UnitCategories(std::span<const CategoryKey> categories) { add(categories); }

  /// Of the next units.
  void add(std::span<const CategoryKey> categories);
  /// Forgets these units, ascending: the others move up to take their ids.
  void forget(std::span<const UnitId> units);

  CategoryKey of(UnitId unit) const { return of_[index(unit)]; }
  std::span<const CategoryKey> of_all() const { return of_; }
  /// The units of a category, ascending.
  std::span<const UnitId> members(CategoryKey category) const;

 private:
  std::vector<CategoryKey> of_;
  std::unordered_map<CategoryKey, std::vector<UnitId>> members_;
};

}  // namespace meteor
