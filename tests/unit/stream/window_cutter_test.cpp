#include "stream/window_cutter.h"

#include <gtest/gtest.h>

#include <limits>

namespace meteor {
namespace {

constexpr std::int64_t day = 86400;

TEST(WindowCutter, WindowsOfADayAreDays) {
  WindowCutter cutter(Duration{day}, LatePolicy::keep);
  EXPECT_EQ(cutter.place(3 * day + 100), Placement::next);
  EXPECT_EQ(cutter.begin(), 3 * day);
  EXPECT_EQ(cutter.place(3 * day), Placement::current);
  EXPECT_EQ(cutter.place(4 * day - 1), Placement::current);
  EXPECT_EQ(cutter.place(4 * day), Placement::next);
  EXPECT_EQ(cutter.begin(), 4 * day);
}

TEST(WindowCutter, EmptyWindowsDoNotExist) {
  WindowCutter cutter(Duration{day}, LatePolicy::keep);
  EXPECT_EQ(cutter.place(0), Placement::next);
  EXPECT_EQ(cutter.place(1000 * day + 1), Placement::next);
  EXPECT_EQ(cutter.begin(), 1000 * day);
}

TEST(WindowCutter, TimesBefore1970AreFloored) {
  WindowCutter cutter(Duration{day}, LatePolicy::keep);
  EXPECT_EQ(cutter.place(-1), Placement::next);
  EXPECT_EQ(cutter.begin(), -day);
  EXPECT_EQ(cutter.place(-day), Placement::current);
  EXPECT_EQ(cutter.place(0), Placement::next);
  EXPECT_EQ(cutter.begin(), 0);
}

TEST(WindowCutter, ALateRecordIsKeptInTheCurrentWindowOrDropped) {
  for (const LatePolicy policy : {LatePolicy::keep, LatePolicy::drop}) {
    WindowCutter cutter(Duration{day}, policy);
    cutter.place(5 * day);
    EXPECT_EQ(cutter.place(4 * day), policy == LatePolicy::keep ? Placement::current : Placement::dropped);
    EXPECT_EQ(cutter.late(), 1u);
    EXPECT_EQ(cutter.begin(), 5 * day);
    EXPECT_EQ(cutter.place(5 * day + 1), Placement::current);
    EXPECT_EQ(cutter.late(), 1u);
  }
}

TEST(WindowCutter, WindowsOfRecordsIgnoreTime) {
  WindowCutter cutter(RecordCount{2}, LatePolicy::drop);
  EXPECT_EQ(cutter.place(50), Placement::next);
  EXPECT_EQ(cutter.place(40), Placement::current);
  EXPECT_EQ(cutter.place(30), Placement::next);
  EXPECT_EQ(cutter.begin(), 30);
  EXPECT_EQ(cutter.place(90), Placement::current);
  EXPECT_EQ(cutter.place(91), Placement::next);
  EXPECT_EQ(cutter.late(), 0u);
}

TEST(WindowCutter, TheEndsOfTimeDoNotOverflow) {
  constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t length : {std::int64_t{1}, std::int64_t{7}, day, last}) {
    WindowCutter cutter(Duration{length}, LatePolicy::keep);
    EXPECT_EQ(cutter.place(first), Placement::next);
    EXPECT_LE(cutter.begin(), first + length);
    EXPECT_EQ(cutter.place(last), Placement::next);
    EXPECT_LE(cutter.begin(), last);
    EXPECT_GE(cutter.begin(), last - length);
  }
}

}  // namespace
}  // namespace meteor
