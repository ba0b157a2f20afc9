#include "support/abandonment.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

TEST(Abandonment, WhatIsGivenUpStaysSo) {
  bool wanted = false;
  Abandonment work([&] { return wanted; });
  EXPECT_FALSE(work.given_up());
  wanted = true;
  EXPECT_TRUE(work.given_up());
  wanted = false;
  EXPECT_TRUE(work.given_up());
  EXPECT_FALSE(work.see_through());
}

TEST(Abandonment, WhatIsSeenThroughIsNotGivenUp) {
  Abandonment work([] { return true; });
  EXPECT_TRUE(work.see_through());
  EXPECT_FALSE(work.given_up());
  EXPECT_TRUE(work.see_through());
}

TEST(Abandonment, NobodyWantsItUnlessSomebodyIsAsked) {
  Abandonment work({});
  EXPECT_FALSE(work.given_up());
}

}  // namespace
}  // namespace meteor
