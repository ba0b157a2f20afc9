#include "support/alias_table.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

TEST(AliasTable, DrawsInProportionToWeights) {
  const std::vector<std::uint32_t> weights{1, 0, 7, 2, 4000000000u};
  const std::vector<std::uint32_t> small{1, 0, 7, 2};
  const AliasTable table(small);
  Random random{1};
  int counts[4] = {};
  for (int i = 0; i < 100000; ++i) ++counts[table.draw(random)];
  EXPECT_NEAR(counts[0], 10000, 500);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2], 70000, 700);
  EXPECT_NEAR(counts[3], 20000, 600);

  const AliasTable unequal(weights);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(unequal.draw(random), 4u);
}

TEST(AliasTable, OneWeightIsAlwaysDrawn) {
  const std::vector<std::uint32_t> weights{3};
  const AliasTable table(weights);
  Random random{2};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table.draw(random), 0u);
}

}  // namespace
}  // namespace meteor
