#include "compression/spectral/quantiser.h"

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

}  // namespace
}  // namespace meteor
