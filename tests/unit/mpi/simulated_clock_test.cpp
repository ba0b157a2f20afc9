#include "fixtures/simulated_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <latch>
#include <mutex>
#include <thread>

namespace meteor::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Two threads that wait for each other.
class SimulatedClockTest : public ::testing::Test {
 protected:
  void run(const std::function<void()>& first, const std::function<void()>& second) {
    std::latch started(2);
    const auto thread = [&](const std::function<void()>& work) {
      return clock_.start([&] {
        started.arrive_and_wait();
        work();
      });
    };
    std::thread one = thread(first), other = thread(second);
    one.join();
    other.join();
  }
  /// Whether the news came in time.
  bool wait(milliseconds time) {
    std::unique_lock lock(mutex_);
    return clock_.wait_until(changed_, lock, clock_.now() + time, [this] { return news_; });
  }
  void tell() {
    const std::lock_guard lock(mutex_);
    news_ = true;
    clock_.notify_all(changed_);
  }

  SimulatedClock simulated_;
  Clock& clock_ = simulated_;
  const Clock::Time start_ = clock_.now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool news_ = false;
};

TEST_F(SimulatedClockTest, StandsStillWhileAThreadWorks) {
  std::atomic<bool> waits = false;
  const auto work = [&] {
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(clock_.now(), start_);
    tell();
  };
  run(work, [&] {
    waits = true;
    EXPECT_TRUE(wait(milliseconds(1)));
    EXPECT_EQ(clock_.now(), start_);
  });
}

TEST_F(SimulatedClockTest, GoesToTheFirstMomentForWhichAThreadWaits) {
  const auto wait_long = [&] {
    EXPECT_TRUE(wait(seconds(500)));
    EXPECT_EQ(clock_.now(), start_ + seconds(300));
  };
  run(wait_long, [&] {
    EXPECT_FALSE(wait(seconds(100)));
    EXPECT_EQ(clock_.now(), start_ + seconds(100));
    EXPECT_FALSE(wait(seconds(200)));
    EXPECT_EQ(clock_.now(), start_ + seconds(300));
    tell();
  });
}

TEST_F(SimulatedClockTest, GoesOnForThoseThatAreLeft) {
  run([] {},
      [&] {
        EXPECT_FALSE(wait(seconds(100)));
        EXPECT_EQ(clock_.now(), start_ + seconds(100));
      });
}

}  // namespace
}  // namespace meteor::testing
