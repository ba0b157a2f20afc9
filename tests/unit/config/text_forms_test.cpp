#include "config/text_forms.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

std::int64_t seconds(std::string_view text) {
  const auto duration = parse_duration(text);
  return duration ? duration->seconds : -1;
}

TEST(TextForms, DurationsAreANumberAndAUnit) {
  EXPECT_EQ(seconds("90 s"), 90);
  EXPECT_EQ(seconds("30 minutes"), 1800);
  EXPECT_EQ(seconds("6 hours"), 21600);
  EXPECT_EQ(seconds("1 day"), 86400);
  EXPECT_EQ(seconds("2 weeks"), 1209600);
  EXPECT_EQ(seconds("12h"), 43200);
}

TEST(TextForms, OtherDurationsAreRefused) {
  for (const char* text :
       {"", "day", "1", "0 days", "-1 day", "1.5 days", "1 dayss", "1 day ", "1 fortnight", "1 day 2 h",
        "9223372036854775807 weeks", "99999999999999999999 s", "101 years", "36526 days"}) {
    EXPECT_EQ(seconds(text), -1) << text;
  }
}

TEST(TextForms, DurationsAreWrittenInTheLargestUnitThatFits) {
  EXPECT_EQ(to_text(Duration{86400}), "1 day");
  EXPECT_EQ(to_text(Duration{129600}), "36 hours");
  EXPECT_EQ(to_text(Duration{61}), "61 seconds");
  for (std::int64_t length : {1, 60, 90, 3600, 86400, 604800, 604801})
    EXPECT_EQ(seconds(to_text(Duration{length})), length);
}

TEST(TextForms, WindowsMayBeCountedInRecords) {
  const auto length = parse_window_length("1000 records");
  ASSERT_TRUE(length);
  EXPECT_EQ(std::get<RecordCount>(*length).records, 1000u);
  EXPECT_EQ(to_text(*length), "1000 records");
  EXPECT_FALSE(parse_window_length("0 records"));
  EXPECT_FALSE(parse_window_length("20 windows"));
}

TEST(TextForms, PretrainingMayBeCountedInWindows) {
  EXPECT_EQ(std::get<WindowCount>(*parse_pretraining_span("20 windows")).windows, 20u);
  EXPECT_EQ(std::get<Duration>(*parse_pretraining_span("30 days")).seconds, 30 * 86400);
  EXPECT_FALSE(parse_pretraining_span("1000 records"));
}

TEST(TextForms, BudgetsAreSharesOrSizes) {
  EXPECT_EQ(std::get<Percent>(*parse_budget("10 %")).percent, 10);
  EXPECT_EQ(std::get<Percent>(*parse_budget("5%")).percent, 5);
  EXPECT_EQ(std::get<Percent>(*parse_budget("0.25 %")).percent, 0.25);
  EXPECT_EQ(std::get<Percent>(*parse_budget("100 %")).percent, 100);
  EXPECT_EQ(std::get<ByteCount>(*parse_budget("64 MiB")).bytes, std::uint64_t{64} << 20);
  EXPECT_EQ(std::get<ByteCount>(*parse_budget("500 KB")).bytes, 500000u);
  EXPECT_EQ(std::get<ByteCount>(*parse_budget("2GB")).bytes, 2000000000u);
  EXPECT_EQ(std::get<ByteCount>(*parse_budget("1 bytes")).bytes, 1u);
}

TEST(TextForms, OtherBudgetsAreRefused) {
  for (const char* text :
       {"", "%", "10", "0 %", "101 %", "-1 %", "nan %", "inf %", "10 percent", "10 % ", "-1 MiB", "0 bytes", "1.5 GiB",
        "MiB", "1 mib", "1 TiB", "99999999999 GiB", "99999999999999999999 KB"}) {
    EXPECT_FALSE(parse_budget(text)) << text;
  }
}

TEST(TextForms, BudgetsAreWrittenInAFormThatGivesThemBack) {
  EXPECT_EQ(to_text(Budget{Percent{10}}), "10 %");
  EXPECT_EQ(to_text(Budget{ByteCount{std::uint64_t{3} << 30}}), "3 GiB");
  EXPECT_EQ(to_text(Budget{ByteCount{5000000}}), "5 MB");
  EXPECT_EQ(to_text(Budget{ByteCount{1234567}}), "1234567 bytes");
  for (const double percent : {0.1, 1.0 / 3, 5.0, 12.5, 100.0}) {
    EXPECT_EQ(std::get<Percent>(*parse_budget(to_text(Budget{Percent{percent}}))).percent, percent);
  }
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{999}, std::uint64_t{1} << 20, std::uint64_t{3000},
                                    std::uint64_t{7} << 33, std::uint64_t{1} << 60}) {
    EXPECT_EQ(std::get<ByteCount>(*parse_budget(to_text(Budget{ByteCount{bytes}}))).bytes, bytes);
  }
}

TEST(TextForms, GridsAreLengths) {
  EXPECT_EQ(parse_grid("300 m"), 300);
  EXPECT_EQ(parse_grid("1.5 km"), 1500);
  EXPECT_EQ(parse_grid(grid_text(123.456)), 123.456);
  for (const char* text : {"", "300", "0 m", "-5 m", "nan m", "inf km", "1e300 km", "300 miles"}) {
    EXPECT_FALSE(parse_grid(text)) << text;
  }
}

}  // namespace
}  // namespace meteor
