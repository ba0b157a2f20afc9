#include "model/drop_units.h"

#include <gtest/gtest.h>

#include <numeric>

namespace meteor {
namespace {

std::vector<UnitId> ids(std::initializer_list<std::uint32_t> numbers) {
  std::vector<UnitId> units;
  for (const std::uint32_t number : numbers) units.push_back(UnitId{number});
  return units;
}

TEST(DropUnits, TheValuesOfTheOthersMoveUp) {
  for (const auto& gone : {ids({}), ids({0}), ids({4}), ids({1, 2}), ids({0, 2, 4}), ids({0, 1, 2, 3, 4})}) {
    for (const std::size_t width : {1u, 3u}) {
      std::vector<std::size_t> values(5 * width);
      std::iota(values.begin(), values.end(), 0u);
      std::vector<std::size_t> expected;
      for (const std::size_t value : values) {
        const UnitId unit{static_cast<std::uint32_t>(value / width)};
        if (std::find(gone.begin(), gone.end(), unit) == gone.end()) expected.push_back(value);
      }
      drop_units(values, gone, width);
      EXPECT_EQ(values, expected);
    }
  }
}

}  // namespace
}  // namespace meteor
