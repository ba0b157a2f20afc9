#include "model/accumulators.h"

#include <gtest/gtest.h>

#include <cmath>

namespace meteor {
namespace {

TEST(Accumulators, WhatAByteSaysHasThatByteWhateverTheDither) {
  for (int i = 0; i < 256; ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    for (const double dither : {0.0, 0.5, 0.999}) EXPECT_EQ(accumulator_byte(accumulator_of(byte), dither), byte);
  }
}

TEST(Accumulators, AValueIsMetOnAverage) {
  for (const float value : {2e-9F, 0.01F, 0.3F, 1.0F, 17.5F, 4e6F}) {
    double sum = 0;
    for (int i = 0; i < 1000; ++i) {
      const float near = accumulator_of(accumulator_byte(value, (i + 0.5) / 1000));
      EXPECT_NEAR(near, value, 0.19 * value);
      sum += near;
    }
    EXPECT_NEAR(sum / 1000, value, 1e-3 * value);
  }
}

TEST(Accumulators, BeyondTheGridTheFirstOrLastByteStands) {
  EXPECT_EQ(accumulator_byte(0, 0.0), 0);
  EXPECT_EQ(accumulator_byte(1e-20F, 0.0), 1);
  EXPECT_EQ(accumulator_byte(1e20F, 0.0), 255);
  EXPECT_EQ(accumulator_byte(INFINITY, 0.0), 255);
  EXPECT_NEAR(accumulator_of(1), 1e-12, 2e-13);
  EXPECT_GT(accumulator_of(255), 1e7);
}

TEST(Accumulators, FadingByLessThanAStepAddsUpOverWindows) {
  double sum = 0;
  for (std::uint32_t unit = 0; unit < 1000; ++unit) {
    std::uint8_t byte = accumulator_byte(1, 0.0);
    for (std::uint64_t window = 0; window < 20; ++window) {
      byte = accumulator_byte(0.95F * accumulator_of(byte), window, UnitId{unit});
    }
    sum += accumulator_of(byte);
  }
  EXPECT_NEAR(sum / 1000, std::pow(0.95, 20), 0.02);
}

}  // namespace
}  // namespace meteor
