#include "support/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace meteor {
namespace {

TEST(ShareWork, CallsEveryIndexOnce) {
  for (std::size_t threads : {0, 1, 3, 16}) {
    for (std::size_t count : {1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      share_work(threads, count, [&](std::size_t i) { ++calls[i]; });
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(calls[i], 1) << threads << " threads, index " << i;
    }
  }
}

TEST(ShareWork, WithoutWorkNothingIsCalled) {
  share_work(4, 0, [](std::size_t) { FAIL(); });
}

TEST(ShareWork, OneThreadWorksInOrder) {
  std::vector<std::size_t> order;
  share_work(1, 5, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ShareWork, ThreadsWorkAtTheSameTime) {
  std::atomic<int> arrived = 0;
  share_work(3, 3, [&](std::size_t) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(ShareWork, RethrowsTheFailureOfTheLowestIndexWhicheverFailsFirst) {
  for (std::size_t late : {0, 1}) {
    std::atomic<int> begun = 0;
    try {
      share_work(2, 20, [&](std::size_t i) {
        ++begun;
        while (begun < 2) std::this_thread::yield();  // both fail, whatever the other does
        if (i == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "0") << late << " was late";
    }
  }
}

TEST(ShareWork, BeginsNothingMoreAfterAFailure) {
  std::vector<std::size_t> begun;
  EXPECT_THROW(share_work(1, 100,
                          [&](std::size_t i) {
                            begun.push_back(i);
                            if (i == 2) throw std::runtime_error("enough");
                          }),
               std::runtime_error);
  EXPECT_EQ(begun.size(), 3u);
}

}  // namespace
}  // namespace meteor
