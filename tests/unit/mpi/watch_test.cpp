#include "mpi/watch.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

using std::chrono::seconds;

const std::vector<std::uint32_t> everybody{1, 2, 3, 4};

/// Rank 0 of five, with five seconds of patience; a worker's parent in the tree is rank 0, but that of rank 3 is
/// rank 2.
class WatchTest : public testing::Test {
 protected:
  /// What all ranks but one tell.
  void all_tell(Heartbeat heartbeat, seconds now, std::uint32_t except = 0) {
    for (const std::uint32_t rank : everybody)
      if (rank != except) watch_.heard(rank, heartbeat, now);
  }

  Watch watch_{0, 5, seconds(5)};
};

TEST_F(WatchTest, NobodyIsBlamedBeforePatienceEnds) {
  all_tell({1, 1, false}, seconds(0));
  EXPECT_FALSE(watch_.blame(everybody, std::chrono::milliseconds(4999)));
}

TEST_F(WatchTest, ASilentRankIsNamedFirst) {
  for (int now = 0; now <= 5; ++now) all_tell({1, 1, false}, seconds(now), 3);
  EXPECT_EQ(watch_.blame(everybody, seconds(5)), "rank 3 has stopped answering (nothing heard for 5 s)");
  EXPECT_EQ(watch_.silence(seconds(5)), "rank 3 has stopped answering (nothing heard for 5 s)");
}

TEST_F(WatchTest, ASilentRankIsNamedEvenIfItOwesNothing) {
  for (int now = 0; now <= 5; ++now) all_tell({1, 1, true}, seconds(now), 3);
  const std::vector<std::uint32_t> owing{1};
  EXPECT_EQ(watch_.blame(owing, seconds(5)), "rank 3 has stopped answering (nothing heard for 5 s)");
}

TEST_F(WatchTest, NobodyIsStuckWhileARankMayHaveStopped) {
  all_tell({1, 1, false}, seconds(1));
  for (int now = 2; now <= 6; ++now) all_tell({1, 1, false}, seconds(now), 3);
  watch_.heard(3, {1, 1, false}, seconds(2));
  EXPECT_FALSE(watch_.blame(everybody, seconds(6)));
  EXPECT_EQ(watch_.blame(everybody, seconds(7)), "rank 3 has stopped answering (nothing heard for 5 s)");
}

TEST_F(WatchTest, ARankThatNeitherWaitsNorGetsOnIsStuck) {
  for (int now = 0; now <= 6; ++now) {
    all_tell({1, 1, true}, seconds(now), 3);
    watch_.heard(3, {1, 1, false}, seconds(now));
  }
  EXPECT_EQ(watch_.blame(everybody, seconds(6)), "rank 3 is stuck (no progress for 5 s)");
  const std::vector<std::uint32_t> others{1, 2};
  EXPECT_EQ(watch_.blame(others, seconds(6)), "a message to rank 1, or its answer, was lost");
}

TEST_F(WatchTest, ABusyRankMayTakeAsLongAsItLikes) {
  for (int now = 0; now <= 100; ++now) {
    all_tell({static_cast<std::uint64_t>(now), 1, false}, seconds(now));
    EXPECT_FALSE(watch_.blame(everybody, seconds(now)));
  }
}

TEST_F(WatchTest, ARankThatTakesMessagesGetsOn) {
  for (int now = 0; now <= 100; ++now) {
    all_tell({1, static_cast<std::uint64_t>(now), true}, seconds(now));
    EXPECT_FALSE(watch_.blame(everybody, seconds(now)));
  }
}

TEST_F(WatchTest, ARankThatWaitedForLongGetsItsTimeWhenItIsToldSomething) {
  for (int now = 0; now <= 100; ++now) all_tell({1, 1, true}, seconds(now));
  watch_.told(2, seconds(100));
  const std::vector<std::uint32_t> owing{2};
  EXPECT_FALSE(watch_.blame(owing, seconds(104)));
  all_tell({1, 1, true}, seconds(104));
  EXPECT_EQ(watch_.blame(owing, seconds(105)), "a message to rank 2, or its answer, was lost");
}

TEST_F(WatchTest, ABroadcastIsNotLostWhileARankOnItsWayStillMovesIt) {
  for (int now = 0; now <= 100; ++now) {
    all_tell({1, 1, true}, seconds(now), 2);
    watch_.heard(2, {static_cast<std::uint64_t>(now), 1, true}, seconds(now));
  }
  const std::vector<std::uint32_t> child{3};
  const std::vector<std::uint32_t> no_child{4};
  EXPECT_FALSE(watch_.blame(child, seconds(100)));
  EXPECT_TRUE(watch_.blame(no_child, seconds(100)));
  watch_.progressed(seconds(99));
  EXPECT_FALSE(watch_.blame(no_child, seconds(100)));
}

TEST(WatchOfAWorker, BlamesRank0ASecondLaterThanRank0Would) {
  Watch watch(3, 5, seconds(5));
  const std::vector<std::uint32_t> owing{0};
  EXPECT_FALSE(watch.silence(std::chrono::milliseconds(5999)));
  EXPECT_EQ(watch.silence(seconds(6)), "rank 0 has stopped answering (nothing heard for 6 s)");
  watch.heard(0, {0, 0, true}, seconds(6));
  watch.heard(0, {0, 0, true}, seconds(12));
  EXPECT_EQ(watch.blame(owing, seconds(12)), "a message from rank 0 was lost");
  watch.heard(0, {0, 0, false}, seconds(12));
  watch.heard(0, {0, 0, false}, seconds(18));
  EXPECT_EQ(watch.blame(owing, seconds(18)), "rank 0 is stuck (no progress for 6 s)");
}

}  // namespace
}  // namespace meteor
