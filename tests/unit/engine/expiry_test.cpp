#include "engine/expiry.h"

#include <gtest/gtest.h>

#include <vector>

namespace meteor {
namespace {

constexpr std::int64_t kDay = 86400;

/// The first window that stays, after each of the windows that begin on these days; −1: none is looked for.
std::vector<std::int64_t> looks(std::optional<Duration> expire, const std::vector<std::int64_t>& days) {
  Expiry expiry;
  std::vector<std::int64_t> first;
  for (std::size_t window = 0; window < days.size(); ++window) {
    const auto stays = expiry.after(expire, window, days[window] * kDay);
    first.push_back(stays ? static_cast<std::int64_t>(*stays) : -1);
  }
  return first;
}

TEST(Expiry, NothingExpiresUnlessItIsAskedFor) {
  EXPECT_EQ(looks({}, {0, 1000, 2000}), (std::vector<std::int64_t>{-1, -1, -1}));
}

TEST(Expiry, WindowsThatBeganWithinTheTimeStay) {
  EXPECT_EQ(looks(Duration{3 * kDay}, {0, 1, 2, 3, 4, 5, 6}), (std::vector<std::int64_t>{-1, -1, -1, -1, 1, 2, 3}));
}

TEST(Expiry, UnitsAreLookedThroughEightTimesInTheTime) {
  std::vector<std::int64_t> days;
  for (std::int64_t day = 0; day < 40; ++day) days.push_back(day);
  const auto first = looks(Duration{16 * kDay}, days);
  for (std::int64_t day = 0; day < 40; ++day) {
    EXPECT_EQ(first[static_cast<std::size_t>(day)], day > 16 && day % 2 == 0 ? day - 16 : -1) << "day " << day;
  }
}

TEST(Expiry, AfterALongSilenceOnlyTheWindowThatEndsItStays) {
  EXPECT_EQ(looks(Duration{3 * kDay}, {0, 1, 500, 501}), (std::vector<std::int64_t>{-1, -1, 2, -1}));
}

TEST(Expiry, RemembersWindowsNoLongerThanItNeedsThem) {
  Expiry expiry;
  for (std::uint64_t window = 0; window < 1000; ++window) {
    expiry.after(Duration{10 * kDay}, window, static_cast<std::int64_t>(window) * kDay);
    EXPECT_LE(expiry.begins.size(), 12u);
  }
}

TEST(Expiry, TimesThatGoBackDoNoHarm) {
  EXPECT_EQ(looks(Duration{3 * kDay}, {10, 3, 11, 2, 15}), (std::vector<std::int64_t>{-1, -1, -1, -1, 4}));
}

}  // namespace
}  // namespace meteor
