#include "stream/grid.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

std::string name(double latitude, double longitude, double metres) {
  std::string text;
  append_name(grid_cell(latitude, longitude, metres), text);
  return text;
}

TEST(Grid, ACellIsCountedFromTheSouthPoleAnd180West) {
  EXPECT_EQ(name(40.719810, -74.002581, 300), "g48505_29810");
  EXPECT_EQ(name(40.606800, -74.044170, 300), "g48463_29849");
}

TEST(Grid, TheCornersOfTheGlobeHaveCells) {
  EXPECT_EQ(name(-90, -180, 300), "g0_0");
  EXPECT_EQ(grid_cell(90, 180, 300).row, 66792);
  EXPECT_EQ(name(-90, -180, 1), "g0_0");
  for (const double latitude : {-90.0, 0.0, 90.0})
    for (const double longitude : {-180.0, 180.0})
      for (const double metres : {1.0, 300.0, 1e6, 1e12})
        EXPECT_LE(name(latitude, longitude, metres).size(), longest_cell_name);
}

}  // namespace
}  // namespace meteor
