#include "support/random.h"

#include <gtest/gtest.h>

#include <set>

namespace meteor {
namespace {

TEST(Random, KeysDetermineTheNumbersOnEveryMachine) {
  Random random{1, 2, 3};
  EXPECT_EQ(random.next(), 1979786065319153939u);
  EXPECT_EQ(random.next(), 15626881895894663628u);
  EXPECT_EQ(random.next(), 18102394465204114341u);
  EXPECT_EQ(random.below(1000), 170u);
  EXPECT_EQ(random.uniform(), 0x1.3e662ad79efefp-1);
}

TEST(Random, StreamsOfNeighbouringKeysDiffer) {
  std::set<std::uint64_t> starts;
  for (std::uint64_t window = 0; window < 50; ++window) {
    for (std::uint64_t shard = 0; shard < 50; ++shard) starts.insert(Random{7, window, shard}.next());
  }
  starts.insert(Random{7, 0}.next());
  EXPECT_EQ(starts.size(), 2501u);
}

TEST(Random, BelowIsUniform) {
  Random random{3};
  int counts[5] = {};
  for (int i = 0; i < 50000; ++i) ++counts[random.below(5)];
  for (int count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(Random, UniformStaysBelowOneAndHasMeanOneHalf) {
  Random random{4};
  double sum = 0;
  for (int i = 0; i < 50000; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
  }
  EXPECT_NEAR(sum / 50000, 0.5, 0.01);
}

}  // namespace
}  // namespace meteor
