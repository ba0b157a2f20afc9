#include "support/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace meteor {
namespace {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view text, std::span<const std::string> names) {
  std::size_t least = text.size() / 2 + 1;
  std::optional<std::string> nearest;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(text, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace meteor
