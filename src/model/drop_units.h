#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "support/ids.h"

namespace meteor {

/// Takes the values of these units, ascending, out of an array that has `width` of them for every unit. What is left
/// moves up, and the room is given back.
template <class T>
void drop_units(std::vector<T>& values, std::span<const UnitId> units, std::size_t width = 1) {
  if (units.empty()) return;
  const auto at = [&](std::size_t unit) { return values.begin() + static_cast<std::ptrdiff_t>(unit * width); };
  auto out = at(index(units[0]));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto end = i + 1 < units.size() ? at(index(units[i + 1])) : values.end();
    out = std::move(at(index(units[i]) + 1), end, out);
  }
  values.erase(out, values.end());
  values.shrink_to_fit();
}

}  // namespace meteor
