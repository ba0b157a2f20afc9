#include "stream/time_parse.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

TEST(TimeParse, UnixSecondsAreFloored) {
  EXPECT_EQ(parse_time("1291191960"), 1291191960);
  EXPECT_EQ(parse_time(" 0 "), 0);
  EXPECT_EQ(parse_time("-1"), -1);
  EXPECT_EQ(parse_time("1.9"), 1);
  EXPECT_EQ(parse_time("-0.5"), -1);
  EXPECT_EQ(parse_time("1.5e3"), 1500);
}

TEST(TimeParse, IsoTimesAreUtcUnlessTheyHaveAnOffset) {
  EXPECT_EQ(parse_time("1970-01-01"), 0);
  EXPECT_EQ(parse_time("2011-03-01"), 1298937600);
  EXPECT_EQ(parse_time("2011-03-01T12:00:00Z"), 1298980800);
  EXPECT_EQ(parse_time("2011-03-01 12:00:00"), 1298980800);
  EXPECT_EQ(parse_time("2011-03-01T12:00"), 1298980800);
  EXPECT_EQ(parse_time("2011-03-01T12:00:00.999z"), 1298980800);
  EXPECT_EQ(parse_time("2011-03-01T13:00:00+01:00"), 1298980800);
  EXPECT_EQ(parse_time("2011-03-01T08:30:00-0330"), 1298980800);
  EXPECT_EQ(parse_time("2011-03-01T13:00:00.5+01"), 1298980800);
  EXPECT_EQ(parse_time("2012-02-29"), 1330473600);
  EXPECT_EQ(parse_time("2016-12-31T23:59:60Z"), 1483228800);
  EXPECT_EQ(parse_time("1969-12-31T23:59:59Z"), -1);
  EXPECT_EQ(parse_time("0000-01-01"), -62167219200);
}

TEST(TimeParse, TheLastSecondOfTheYear9999IsTheLatest) {
  EXPECT_EQ(parse_time("9999-12-31T23:59:59Z"), latest_time);
  EXPECT_EQ(parse_time("253402300799"), latest_time);
  EXPECT_EQ(parse_time("253402300800"), std::nullopt);
  EXPECT_EQ(parse_time("-377705116800"), earliest_time);
  EXPECT_EQ(parse_time("-377705116801"), std::nullopt);
  EXPECT_EQ(parse_time("9999-12-31T23:59:59-01:00"), std::nullopt);
}

TEST(TimeParse, WhatIsNoTimeIsRefused) {
  for (const char* text : {"",
                           "x",
                           "nan",
                           "inf",
                           "-inf",
                           "1e300",
                           "99999999999999999999999",
                           "0x10",
                           "12,5",
                           "1 2",
                           "2011-3-1",
                           "2011-02-29",
                           "2011-13-01",
                           "2011-00-10",
                           "2011-03-01T",
                           "2011-03-01X12:00",
                           "2011-03-01T24:00",
                           "2011-03-01T12:60",
                           "2011-03-01T12:00:61",
                           "2011-03-01T12:00:00.",
                           "2011-03-01T12:00:00+25:00",
                           "2011-03-01T12:00:00+01:60",
                           "2011-03-01T12:00:00+01:000",
                           "2011-03-01T12:00:00 UTC",
                           "2011/03/01",
                           "20110301T120000Z",
                           "1291191960s"})
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(TimeParse, HoursOfTheWeekStartOnMonday) {
  EXPECT_EQ(hour_name(TimeKind::hour_of_week, 0), "thu00");
  EXPECT_EQ(hour_name(TimeKind::hour_of_week, 1298980800), "tue12");
  EXPECT_EQ(hour_name(TimeKind::hour_of_week, *parse_time("2011-03-06T23:59:59")), "sun23");
  EXPECT_EQ(hour_name(TimeKind::hour_of_week, *parse_time("2011-03-07T00:00:00")), "mon00");
  EXPECT_EQ(hour_name(TimeKind::hour_of_day, 1298980800), "h12");
}

TEST(TimeParse, HoursBefore1970AreFloored) {
  EXPECT_EQ(hour_name(TimeKind::hour_of_week, -1), "wed23");
  EXPECT_EQ(hour_name(TimeKind::hour_of_day, -3600), "h23");
  EXPECT_EQ(hour_name(TimeKind::hour_of_day, -3601), "h22");
  EXPECT_EQ(hour_name(TimeKind::hour_of_week, earliest_time).size(), 5u);
}

}  // namespace
}  // namespace meteor
