#pragma once

#include <cstdint>
#include <string>

namespace meteor {

/// A cell of a grid of squares, some `grid_metres` wide, laid over the globe: rows from the south pole, columns from
/// 180° west. All of a row's columns have the width that is right at the row's centre.
struct GridCell {
  std::int64_t row;
  std::int64_t column;
};

/// Latitude within ±90, longitude within ±180, in degrees; grid_metres at least 1.
GridCell grid_cell(double latitude, double longitude, double grid_metres);

/// Appends the unit's name: "g48505_29810".
void append_name(GridCell cell, std::string& text);
inline constexpr std::size_t longest_cell_name = 2 + 2 * 20;

}  // namespace meteor
