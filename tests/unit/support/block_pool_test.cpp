#include "support/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace meteor {
namespace {

TEST(BlockPool, ABlockThatCameBackIsGivenOutAgain) {
  BlockPool pool;
  auto block = pool.take(1000);
  const std::byte* place = block.get();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 64, 0u);
  auto another_owner = block;
  block.reset();
  const auto meanwhile = pool.take(1000);
  EXPECT_NE(meanwhile.get(), place);
  another_owner.reset();
  EXPECT_EQ(pool.take(900).get(), place);
}

TEST(BlockPool, ALargeBlockIsNotWastedOnASmallArray) {
  BlockPool pool;
  const std::byte* place = pool.take(10'000).get();
  const auto small = pool.take(100);
  EXPECT_NE(small.get(), place);
  EXPECT_EQ(pool.take(10'000).get(), place);
}

TEST(BlockPool, BlocksMayOutliveThePool) {
  std::shared_ptr<std::byte> block;
  {
    BlockPool pool;
    block = pool.take(100);
  }
  std::memset(block.get(), 1, 100);
}

TEST(BlockPool, ManyBlocksMayComeBackAtOnce) {
  BlockPool pool;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::shared_ptr<std::byte>> blocks;
    for (std::size_t bytes = 0; bytes < 100; ++bytes)
      std::memset(blocks.emplace_back(pool.take(bytes)).get(), 1, bytes);
  }
}

}  // namespace
}  // namespace meteor
