#include "mpi/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace meteor {
namespace {

class LaunchTest : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) unsetenv(variable);
  }
};

TEST_F(LaunchTest, AProgramStartedAloneIsNoRank) {
  EXPECT_FALSE(launched_by_mpi());
  EXPECT_FALSE(launched_rank());
}

TEST_F(LaunchTest, TheLauncherTellsTheRank) {
  setenv("PMIX_RANK", "7", 1);
  EXPECT_TRUE(launched_by_mpi());
  EXPECT_EQ(launched_rank(), 7u);
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  EXPECT_EQ(launched_rank(), 3u);
}

TEST_F(LaunchTest, WhatIsNoNumberIsNoRank) {
  for (const char* text : {"", "x", "3x", "-1"}) {
    setenv("OMPI_COMM_WORLD_RANK", text, 1);
    EXPECT_FALSE(launched_rank()) << text;
  }
}

}  // namespace
}  // namespace meteor
