#pragma once

#include <cstdlib>

#include "fixtures/planted_model.h"
#include "model/model.h"

namespace meteor::fuzz {

// What the entries that need a model have in common: one that is as small as it can be.

inline constexpr std::size_t kUnits = 40;
inline constexpr std::uint32_t kDimension = 8;

/// Ends the process, as a fuzzer wants it, where a promise of the program does not hold.
inline void require(bool promise) {
  if (!promise) std::abort();
}

/// A window in which every third unit of the model is seen again, and new ones up to so many in all.
inline WindowUpdate window_update(const Model& model, std::size_t all_units) {
  WindowUpdate update;
  update.window = model.windows;
  for (std::uint32_t i = 0; i < all_units; ++i) {
    if (i < kUnits && i % 3 != 0) continue;
    update.units.push_back(UnitId{i});
    update.attributes.push_back(AttributeId{static_cast<std::uint16_t>(i % 2)});
  }
  update.accumulators.assign(update.units.size(), 1);
  update.counts.assign(update.units.size(), 1);
  update.categories.assign(update.units.size(), CategoryKey::none);
  Random random{3};
  update.rows = testing::random_rows(update.units.size(), kDimension, random);
  return update;
}

}  // namespace meteor::fuzz
