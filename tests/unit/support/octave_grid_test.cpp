#include "support/octave_grid.h"

#include <gtest/gtest.h>

#include <cmath>

namespace meteor {
namespace {

TEST(OctaveGrid, ValuesAreEightToAnOctaveAndAscend) {
  EXPECT_EQ(octave_value(0), 0);
  EXPECT_EQ(octave_value(160), 1);
  for (int place = 1; place + 1 < 256; ++place) {
    const float here = octave_value(static_cast<std::uint8_t>(place)),
                next = octave_value(static_cast<std::uint8_t>(place + 1));
    EXPECT_NEAR(next / here, std::exp2(0.125), 1e-6) << place;
    if (place + 8 < 256) {
      EXPECT_EQ(octave_value(static_cast<std::uint8_t>(place + 8)), 2 * here)
          << "exactly, so that it is the same anywhere";
    }
  }
}

TEST(OctaveGrid, EveryValueHasItsOwnPlace) {
  for (int i = 1; i < 256; ++i) {
    const auto place = static_cast<std::uint8_t>(i);
    const float value = octave_value(place);
    EXPECT_EQ(octave_place(value), place);
    const float next = i < 255 ? octave_value(static_cast<std::uint8_t>(i + 1)) : INFINITY;
    EXPECT_EQ(octave_place(std::nextafter(next, 0.0F)), place) << "of all below the next one";
  }
}

TEST(OctaveGrid, ValuesBeyondTheGridHaveItsFirstOrLastPlace) {
  EXPECT_EQ(octave_place(octave_value(1) / 2), 1);
  EXPECT_EQ(octave_place(1e-38F), 1);
  EXPECT_EQ(octave_place(1e38F), 255);
  EXPECT_EQ(octave_place(INFINITY), 255);
}

}  // namespace
}  // namespace meteor
