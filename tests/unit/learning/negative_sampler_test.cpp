#include "learning/negative_sampler.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

TEST(NegativeSampler, DrawsInProportionToTheCountsOfAllButTheExcluded) {
  const std::vector<std::uint32_t> counts{9, 9, 1, 2, 3, 4, 10, 7};
  const std::vector<std::uint32_t> ends{2, 8};
  const NegativeSampler sampler(counts, ends);
  constexpr std::uint32_t kExcluded = 6;
  constexpr int kDraws = 170000;
  Random random{1};
  std::vector<int> drawn(counts.size());
  for (int i = 0; i < kDraws; ++i) ++drawn[sampler.draw(1, kExcluded, random)];
  EXPECT_EQ(drawn[0] + drawn[1], 0) << "units of another attribute were drawn";
  EXPECT_EQ(drawn[kExcluded], 0);
  double chi_square = 0;
  for (std::uint32_t slot : {2, 3, 4, 5, 7}) {
    const double expected = kDraws * counts[slot] / 17.0;
    chi_square += (drawn[slot] - expected) * (drawn[slot] - expected) / expected;
  }
  EXPECT_LT(chi_square, 18.5);  // 4 degrees of freedom: exceeded once in a thousand
}

TEST(NegativeSampler, TheExcludedIsNeverDrawnWhereverItStands) {
  const std::vector<std::uint32_t> counts{5, 5, 5, 1, 1};
  const std::vector<std::uint32_t> ends{3, 5};
  const NegativeSampler sampler(counts, ends);
  Random random{2};
  for (std::uint32_t excluded = 0; excluded < 5; ++excluded) {
    for (int i = 0; i < 2000; ++i) EXPECT_NE(sampler.draw(excluded < 3 ? 0 : 1, excluded, random), excluded);
  }
}

TEST(NegativeSampler, AnAttributeWithOneUnitOrNoneHasNoNegatives) {
  const std::vector<std::uint32_t> counts{4, 1, 1};
  const std::vector<std::uint32_t> ends{1, 1, 3};
  const NegativeSampler sampler(counts, ends);
  EXPECT_FALSE(sampler.can_draw(0));
  EXPECT_FALSE(sampler.can_draw(1));
  EXPECT_TRUE(sampler.can_draw(2));
}

TEST(NegativeSampler, ADominatingUnitStillLeavesAllOthersToDraw) {
  for (std::uint32_t dominating = 2; dominating < 6; ++dominating) {
    std::vector<std::uint32_t> counts(6, 1);
    counts[dominating] = 4000000000u;
    const std::vector<std::uint32_t> ends{2, 6};
    const NegativeSampler sampler(counts, ends);
    Random random{3, dominating};
    std::vector<int> drawn(6);
    for (int i = 0; i < 3000; ++i) ++drawn[sampler.draw(1, dominating, random)];
    for (std::uint32_t slot = 2; slot < 6; ++slot) {
      if (slot == dominating) {
        EXPECT_EQ(drawn[slot], 0);
      } else {
        EXPECT_NEAR(drawn[slot], 1000, 150);
      }
    }
  }
}

}  // namespace
}  // namespace meteor
