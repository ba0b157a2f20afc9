#include <gmock/gmock.h>

#include "mpi/mail.h"

namespace meteor {
namespace {

TEST(BroadcastTree, EveryRankHasOneSender) {
  for (std::uint32_t size = 1; size <= 70; ++size) {
    std::vector<int> senders(size);
    for (std::uint32_t rank = 0; rank < size; ++rank)
      for (const std::uint32_t child : broadcast_children(rank, size)) {
        ASSERT_LT(child, size);
        EXPECT_GT(child, rank);
        ++senders[child];
      }
    EXPECT_EQ(senders[0], 0);
    for (std::uint32_t rank = 1; rank < size; ++rank) EXPECT_EQ(senders[rank], 1) << rank << " of " << size;
  }
}

TEST(BroadcastTree, NobodySendsMoreThanTheLogarithmOfTheRanks) {
  EXPECT_THAT(broadcast_children(0, 8), testing::ElementsAre(4, 2, 1));
  EXPECT_THAT(broadcast_children(4, 8), testing::ElementsAre(6, 5));
  EXPECT_THAT(broadcast_children(0, 5), testing::ElementsAre(4, 2, 1));
  EXPECT_THAT(broadcast_children(0, 1), testing::IsEmpty());
}

}  // namespace
}  // namespace meteor
