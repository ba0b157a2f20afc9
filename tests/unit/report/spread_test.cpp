#include "report/spread.h"

#include <gtest/gtest.h>

#include <vector>

namespace meteor {
namespace {

TEST(Spread, IsTheMeanAndTheStandardDeviationOfASample) {
  const Spread spread = spread_of(std::vector{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0});
  EXPECT_DOUBLE_EQ(spread.mean, 5);
  EXPECT_NEAR(spread.deviation, 2.13809, 1e-5);  // √(32 / 7)
  EXPECT_EQ(spread.count, 8U);
}

TEST(Spread, OfOneValueHasNoDeviation) {
  const Spread spread = spread_of(std::vector{0.25});
  EXPECT_DOUBLE_EQ(spread.mean, 0.25);
  EXPECT_EQ(spread.deviation, 0);
  EXPECT_EQ(spread_of({}).count, 0U);
}

}  // namespace
}  // namespace meteor
