#include "report/scale.h"

#include <gmock/gmock.h>

namespace meteor {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

TEST(Scale, PutsAllValuesInsideItsEnds) {
  const Scale scale = Scale::linear(0.3, 0.6);
  EXPECT_GT(scale.place(0.3), 0);
  EXPECT_LT(scale.place(0.6), 1);
  EXPECT_NEAR(scale.place(0.45), 0.5, 1e-9);
}

TEST(Scale, CanBeginAtZeroExactly) {
  const Scale scale = Scale::linear(2, 10, true);
  EXPECT_EQ(scale.place(0), 0);
  EXPECT_THAT(scale.ticks(), ElementsAre(0, 2, 4, 6, 8, 10));
}

TEST(Scale, GivesEqualRatiosEqualDistances) {
  const Scale scale = Scale::logarithmic(0.05, 3);
  EXPECT_NEAR(scale.place(0.2) - scale.place(0.1), scale.place(2) - scale.place(1), 1e-9);
  EXPECT_THAT(scale.ticks(), Pointwise(DoubleNear(1e-9), {0.05, 0.1, 0.2, 0.5, 1.0, 2.0}));
}

TEST(Scale, HasRoundTicks) {
  EXPECT_THAT(Scale::linear(0.31, 0.59).ticks(), Pointwise(DoubleNear(1e-9), {0.3, 0.4, 0.5, 0.6}));
  EXPECT_THAT(Scale::logarithmic(0.0001, 5).ticks(), Pointwise(DoubleNear(1e-9), {0.0001, 0.001, 0.01, 0.1, 1.0}));
}

TEST(Scale, OfEqualValuesIsNotEmpty) {
  EXPECT_NEAR(Scale::linear(0.5, 0.5).place(0.5), 0.5, 0.1);
  EXPECT_EQ(Scale::linear(0, 0, true).place(0), 0);
  EXPECT_NEAR(Scale::logarithmic(1, 1).place(1), 0.5, 0.5);
  for (const Scale& scale : {Scale::linear(0.5, 0.5), Scale::linear(0, 0, true), Scale::logarithmic(1, 1)}) {
    EXPECT_FALSE(scale.ticks().empty());
    EXPECT_LT(scale.ticks().size(), 20U);
  }
}

TEST(Scale, LabelsHaveNoDigitsTooMany) {
  EXPECT_EQ(tick_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(tick_text(1e-17), "0");
  EXPECT_EQ(tick_text(20), "20");
  EXPECT_EQ(tick_text(25000), "25k");
  EXPECT_EQ(tick_text(3e6), "3M");
}

}  // namespace
}  // namespace meteor
