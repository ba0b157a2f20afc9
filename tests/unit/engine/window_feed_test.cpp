#include "engine/window_feed.h"

#include <gtest/gtest.h>

#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"

namespace meteor {
namespace {

/// Reads a CSV of timestamp,user,items into windows of a day.
class WindowFeedTest : public testing::Test {
 protected:
  WindowFeedTest() { settings_.attributes = shopping_attributes(); }

  std::vector<Window> read(const std::string& rows, std::uint64_t first_number = 0) {
    const auto path = folder_.write("stream.csv", "timestamp,user,items\n" + rows).string();
    Rejects rejects(path, 1.0);
    RecordReader reader(open_source(path), settings_.stream, settings_.attributes, rejects);
    WindowFeed feed(reader, vocabulary_, settings_.stream, first_number);
    std::vector<Window> windows;
    while (auto window = feed.next()) windows.push_back(std::move(*window));
    skipped_ = feed.skipped();
    return windows;
  }

  std::vector<std::string> names(const Window& window, std::size_t record) const {
    std::vector<std::string> result;
    for (UnitId unit : window.record(record)) result.emplace_back(vocabulary_.name(unit));
    return result;
  }

  TemporaryFolder folder_;
  Settings settings_;
  Vocabulary vocabulary_{{1, 1}};
  SkippedRecords skipped_;
};

using Names = std::vector<std::string>;

TEST_F(WindowFeedTest, RecordsOfADayMakeAWindow) {
  const auto windows = read("0,u,a b\n86399,v,b\n86400,u,c\n");
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].records(), 2u);
  EXPECT_EQ(names(windows[0], 0), (Names{"u", "a", "b"}));
  EXPECT_EQ(names(windows[0], 1), (Names{"b", "v"}));
  EXPECT_EQ(windows[1].number, 1u);
  EXPECT_EQ(windows[1].begin, 86400);
  EXPECT_EQ(windows[1].record_numbers[0], 3u);
}

TEST_F(WindowFeedTest, AUnitCountsOnceInARecord) {
  const auto windows = read("0,u,a a b a\n1,u,a a\n");
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(names(windows[0], 0), (Names{"u", "a", "b"}));
  EXPECT_EQ(names(windows[0], 1), (Names{"u", "a"}));
}

TEST_F(WindowFeedTest, ARecordMayHoldManyNewUnits) {
  std::string items;
  for (int i = 0; i < 200'000; ++i) items += std::to_string(i % 150'000) + ' ';
  EXPECT_EQ(read("0,u," + items + "\n").at(0).record(0).size(), 150'001u);
}

TEST_F(WindowFeedTest, ARecordWithFewerThanTwoUnitsIsCountedAndAdmitsNothing) {
  const auto windows = read("0,lonely,\n1,,single\n2,u,a\n");
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(windows[0].records(), 1u);
  EXPECT_EQ(skipped_.too_small, 2u);
  EXPECT_EQ(vocabulary_.size(), 2u);
}

TEST_F(WindowFeedTest, AWindowWithNothingToLearnIsPassedOverButKeepsItsNumber) {
  const auto windows = read("0,u,a\n86400,u,\n172800,u,a\n");
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[1].number, 2u);
}

TEST_F(WindowFeedTest, NumbersGoOnFromAnEarlierRun) { EXPECT_EQ(read("0,u,a\n", 41).at(0).number, 41u); }

TEST_F(WindowFeedTest, RareUnitsWaitForTheirMinimumCount) {
  vocabulary_ = Vocabulary({1, 2});
  const auto windows = read("0,u,a b\n1,u,a c\n2,u,a\n");
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(skipped_.too_small, 1u);
  EXPECT_EQ(names(windows[0], 0), (Names{"u", "a"}));
  EXPECT_EQ(names(windows[0], 1), (Names{"u", "a"}));
  EXPECT_EQ(vocabulary_.size(), 2u);
}

TEST_F(WindowFeedTest, LateRecordsFollowThePolicy) {
  const std::string rows = "86400,u,a\n5,v,b\n";
  EXPECT_EQ(read(rows).at(0).records(), 2u);
  settings_.stream.late = LatePolicy::drop;
  vocabulary_ = Vocabulary({1, 1});
  EXPECT_EQ(read(rows).at(0).records(), 1u);
  EXPECT_EQ(skipped_.late, 1u);
}

TEST_F(WindowFeedTest, WindowsMayBeANumberOfRecords) {
  settings_.stream.window = RecordCount{2};
  const auto windows = read("0,u,a\n1,u,b\n2,u,c\n");
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].records(), 2u);
  EXPECT_EQ(windows[1].records(), 1u);
}

}  // namespace
}  // namespace meteor
