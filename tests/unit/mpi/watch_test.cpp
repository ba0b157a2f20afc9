#include "mpi/watch.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

using std::chrono::seconds;

const std::vector<std::uint32_t> everybody{1, 2, 3, 4};

/// Rank 0 of five, with five seconds of patience.
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
  all_tell({1, false}, seconds(0));
  EXPECT_FALSE(watch_.blame(everybody, std::chrono::milliseconds(4999)));
}

TEST_F(WatchTest, ASilentRankIsNamedFirst) {
  for (int now = 0; now <= 5; ++now) all_tell({1, false}, seconds(now), 3);
  EXPECT_EQ(watch_.blame(everybody, seconds(5)), "rank 3 has stopped answering (nothing heard for 5 s)");
  EXPECT_EQ(watch_.silence(seconds(5)), "rank 3 has stopped answering (nothing heard for 5 s)");
}

TEST_F(WatchTest, ASilentRankIsNamedEvenIfItOwesNothing) {
  for (int now = 0; now <= 5; ++now) all_tell({1, true}, seconds(now), 3);
  const std::vector<std::uint32_t> owing{1};
  EXPECT_EQ(watch_.blame(owing, seconds(5)), "rank 3 has stopped answering (nothing heard for 5 s)");
}

TEST_F(WatchTest, NobodyIsStuckWhileARankMayHaveStopped) {
  all_tell({1, false}, seconds(1));
  for (int now = 2; now <= 6; ++now) all_tell({1, false}, seconds(now), 3);
  watch_.heard(3, {1, false}, seconds(2));
  EXPECT_FALSE(watch_.blame(everybody, seconds(6)));
  EXPECT_EQ(watch_.blame(everybody, seconds(7)), "rank 3 has stopped answering (nothing heard for 5 s)");
}

TEST_F(WatchTest, ARankThatNeitherWaitsNorGetsOnIsStuck) {
  for (int now = 0; now <= 6; ++now) {
    all_tell({1, true}, seconds(now), 3);
    watch_.heard(3, {1, false}, seconds(now));
  }
  EXPECT_EQ(watch_.blame(everybody, seconds(6)), "rank 3 is stuck (no progress for 5 s)");
  const std::vector<std::uint32_t> others{1, 2};
  EXPECT_FALSE(watch_.blame(others, seconds(6)));
}

TEST_F(WatchTest, ABusyRankMayTakeAsLongAsItLikes) {
  for (int now = 0; now <= 100; ++now) {
    all_tell({static_cast<std::uint64_t>(now), false}, seconds(now));
    EXPECT_FALSE(watch_.blame(everybody, seconds(now)));
  }
}

TEST_F(WatchTest, ARankThatWaitsIsNotStuck) {
  for (int now = 0; now <= 100; ++now) {
    all_tell({1, true}, seconds(now));
    EXPECT_FALSE(watch_.blame(everybody, seconds(now)));
  }
}

TEST_F(WatchTest, ARankThatStoodStillForLongGetsItsTimeWhenItIsToldSomething) {
  for (int now = 0; now <= 100; ++now) all_tell({1, false}, seconds(now));
  watch_.told(2, seconds(100));
  const std::vector<std::uint32_t> owing{2};
  EXPECT_FALSE(watch_.blame(owing, seconds(104)));
  all_tell({1, false}, seconds(104));
  EXPECT_EQ(watch_.blame(owing, seconds(105)), "rank 2 is stuck (no progress for 5 s)");
}

TEST(WatchOfAWorker, BlamesRank0ASecondLaterThanRank0Would) {
  Watch watch(3, 5, seconds(5));
  const std::vector<std::uint32_t> owing{0};
  EXPECT_FALSE(watch.silence(std::chrono::milliseconds(5999)));
  EXPECT_EQ(watch.silence(seconds(6)), "rank 0 has stopped answering (nothing heard for 6 s)");
  watch.heard(0, {0, true}, seconds(6));
  watch.heard(0, {0, true}, seconds(12));
  EXPECT_FALSE(watch.blame(owing, seconds(12)));
  watch.heard(0, {0, false}, seconds(12));
  watch.heard(0, {0, false}, seconds(18));
  EXPECT_EQ(watch.blame(owing, seconds(18)), "rank 0 is stuck (no progress for 6 s)");
}

}  // namespace
}  // namespace meteor
