#include "stream/grid.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numbers>

namespace meteor {

GridCell grid_cell(double latitude, double longitude, double grid_metres) {
  constexpr double metres_a_degree = 111320;
  const double row = std::floor((latitude + 90) * metres_a_degree / grid_metres);
  const double centre = (row + 0.5) * grid_metres / metres_a_degree - 90;
  const double column =
      std::floor((longitude + 180) * metres_a_degree * std::cos(centre * std::numbers::pi / 180) / grid_metres);
  return {static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)};
}

void append_name(GridCell cell, std::string& text) {
  fmt::format_to(std::back_inserter(text), "g{}_{}", cell.row, cell.column);
}

}  // namespace meteor
