#include "compression/matrix.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

TEST(Matrix, ProductsAreCutIntoTheSameBlocksWhateverTheCachesOfTheMachine) {
  ASSERT_TRUE(kSameBlocksOnAllMachines);
  EXPECT_EQ(Eigen::l1CacheSize(), 48 << 10);
  EXPECT_EQ(Eigen::l2CacheSize(), 2 << 20);
  EXPECT_EQ(Eigen::l3CacheSize(), 32 << 20);
}

}  // namespace
}  // namespace meteor
