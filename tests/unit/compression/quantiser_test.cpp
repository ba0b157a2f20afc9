#include "compression/quantiser.h"

#include <gtest/gtest.h>

#include <cmath>

namespace meteor {
namespace {

/// ∫ (x − level)² φ(x) dx by Simpson's rule.
double lost_between(double from, double to, double level) {
  const int pieces = 2 * (1 + static_cast<int>((to - from) / 0.01));
  const double width = (to - from) / pieces;
  double sum = 0;
  for (int i = 0; i <= pieces; ++i) {
    const double x = from + i * width;
    const double factor = i == 0 || i == pieces ? 1 : i % 2 == 1 ? 4 : 2;
    sum += factor * (x - level) * (x - level) * std::exp(-x * x / 2);
  }
  return sum * width / 3 / std::sqrt(2 * M_PI);
}

/// What 2^bits levels a step apart lose of a normal distribution, whose half above 0 is as the one below.
double lost(std::size_t bits, double step) {
  const int above = 1 << (bits - 1);
  double sum = 0;
  for (int level = 0; level + 1 < above; ++level)
    sum += lost_between(level * step, (level + 1) * step, (level + 0.5) * step);
  return 2 * (sum + lost_between((above - 1) * step, 14, (above - 0.5) * step));
}

TEST(Quantiser, LevelStepsLoseLeastAndAsMuchAsIsSaid) {
  EXPECT_EQ(kLevelErrors[0], 1);
  for (std::size_t bits = 1; bits <= kMostBits; ++bits) {
    const double step = kLevelSteps[bits], least = lost(bits, step);
    EXPECT_NEAR(kLevelErrors[bits], least, 1e-4 * least) << bits;
    EXPECT_LT(least, lost(bits, step * 1.002)) << bits;
    EXPECT_LT(least, lost(bits, step / 1.002)) << bits;
  }
}

TEST(Quantiser, ScalesAreEightToAnOctaveAndAscend) {
  EXPECT_EQ(scale_of(0), 0);
  EXPECT_EQ(scale_of(160), 1);
  for (int place = 1; place + 1 < 256; ++place) {
    const float here = scale_of(static_cast<std::uint8_t>(place)),
                next = scale_of(static_cast<std::uint8_t>(place + 1));
    EXPECT_NEAR(next / here, std::exp2(0.125), 1e-6) << place;
    if (place + 8 < 256) {
      EXPECT_EQ(scale_of(static_cast<std::uint8_t>(place + 8)), 2 * here) << "exactly, so that it is the same anywhere";
    }
  }
}

TEST(Quantiser, EveryScaleHasItsOwnPlace) {
  for (int i = 1; i < 256; ++i) {
    const auto place = static_cast<std::uint8_t>(i);
    const float scale = scale_of(place);
    EXPECT_EQ(place_of_scale(scale), place);
    const float next = i < 255 ? scale_of(static_cast<std::uint8_t>(i + 1)) : INFINITY;
    EXPECT_EQ(place_of_scale(std::nextafter(next, 0.0F)), place) << "of all below the next one";
  }
}

TEST(Quantiser, ValuesBeyondTheGridHaveItsFirstOrLastPlace) {
  EXPECT_EQ(place_of_scale(scale_of(1) / 2), 1);
  EXPECT_EQ(place_of_scale(1e-38F), 1);
  EXPECT_EQ(place_of_scale(1e38F), 255);
  EXPECT_EQ(place_of_scale(INFINITY), 255);
}

}  // namespace
}  // namespace meteor
