#include "engine/outline.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr std::int64_t kDay = 86400;

StreamOutline days(std::initializer_list<int> list) {
  StreamOutline outline;
  for (int day : list) outline.windows.push_back({day * kDay, 1});
  return outline;
}

TEST(Outline, ListsTheWindowsOfAnInput) {
  const TemporaryFolder folder;
  const auto path = folder.write("s.csv", "timestamp,user,items\n0,u,a\n5,u,\n86400,u,a\n").string();
  Settings settings;
  settings.attributes = shopping_attributes();
  const StreamOutline outline = outline_stream(path, settings);
  ASSERT_EQ(outline.windows.size(), 2u);
  EXPECT_EQ(outline.windows[0].records, 1u);
  EXPECT_EQ(outline.windows[1].begin, kDay);
}

TEST(Outline, AnInputWithoutRecordsIsRefused) {
  const TemporaryFolder folder;
  const auto path = folder.write("s.csv", "timestamp,user,items\n").string();
  Settings settings;
  settings.attributes = shopping_attributes();
  EXPECT_THROW(outline_stream(path, settings), InputError);
}

TEST(Outline, TheRejectsOfAnInputThatIsRefusedAreKeptAndThoseOfAGoodOneAreLeftToTheRun) {
  const TemporaryFolder folder;
  const std::string bad = folder.write("bad.csv", "timestamp,user,items\n0,u,a\nnever,u,a\n").string();
  const std::filesystem::path rejects = folder.path() / "rejects.tsv";
  Settings settings;
  settings.attributes = shopping_attributes();
  EXPECT_THROW(outline_stream(bad, settings, rejects), InputError);
  std::string line;
  std::getline(std::ifstream(rejects) >> std::ws, line);
  EXPECT_TRUE(line.starts_with(bad + "\t3\t")) << line;
  std::filesystem::remove(rejects);
  settings.stream.max_reject_fraction = 0.5;
  outline_stream(bad, settings, rejects);
  EXPECT_FALSE(std::filesystem::exists(rejects));
}

TEST(QueryPlan, TheRejectsOfAnInputThatHasNothingToAskAreKept) {
  const TemporaryFolder folder;
  const std::string input = folder.write("s.csv", "timestamp,user,items\n0,u,a\nnever,u,a\n").string();
  const std::filesystem::path rejects = folder.write("rejects.tsv", "of an earlier run\n");
  Settings settings;
  settings.attributes = shopping_attributes();
  settings.stream.max_reject_fraction = 0.5;
  settings.evaluation.pretrain = WindowCount{1};
  EXPECT_THROW(plan_queries(input, settings, rejects), InputError);
  std::string line;
  std::getline(std::ifstream(rejects), line);
  EXPECT_TRUE(line.starts_with(input + "\t3\t")) << line;
}

TEST(PretrainingEnd, HalfOfThePeriodIsMeasuredInTimeNotInWindows) {
  Settings settings;
  const StreamOutline outline = days({0, 1, 2, 3, 9});  // ten days, of which five have records
  EXPECT_EQ(pretraining_end(settings, &outline).windows, 4u);
}

TEST(PretrainingEnd, OfWindowsByRecordCountItIsAShareOfTheWindows) {
  Settings settings;
  settings.stream.window = RecordCount{10};
  const StreamOutline outline = days({0, 1, 2, 3, 9, 10});
  EXPECT_EQ(pretraining_end(settings, &outline).windows, 3u);
}

TEST(PretrainingEnd, MayBeATimeFromTheFirstWindowOn) {
  Settings settings;
  settings.evaluation.pretrain = Duration{2 * kDay};
  const PretrainingEnd end = pretraining_end(settings, nullptr);
  EXPECT_TRUE(end.includes(7, 101 * kDay, 100 * kDay));
  EXPECT_FALSE(end.includes(1, 102 * kDay, 100 * kDay));
}

TEST(PretrainingEnd, MayBeANumberOfWindows) {
  Settings settings;
  settings.evaluation.pretrain = WindowCount{2};
  const PretrainingEnd end = pretraining_end(settings, nullptr);
  EXPECT_TRUE(end.includes(1, 0, 0));
  EXPECT_FALSE(end.includes(2, 0, 0));
}

TEST(QueryWindows, AreDrawnAfterPretrainingAndDependOnTheSeedOnly) {
  StreamOutline outline = days({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  outline.windows[15].records = 0;
  const PretrainingEnd end{10, {}};
  const auto chosen = choose_query_windows(outline, end, 4, 1);
  EXPECT_EQ(chosen.size(), 4u);
  EXPECT_GE(*chosen.begin(), 10u);
  EXPECT_EQ(chosen, choose_query_windows(outline, end, 4, 1));
  EXPECT_NE(chosen, choose_query_windows(outline, end, 4, 2));
  const auto all = choose_query_windows(outline, end, 100, 1);
  EXPECT_EQ(all.size(), 9u);
  EXPECT_FALSE(all.contains(15));
}

TEST(QueryPlan, NeedsAWindowAfterPretraining) {
  const TemporaryFolder folder;
  Settings settings;
  settings.attributes = shopping_attributes();
  settings.evaluation.pretrain = WindowCount{1};
  const auto one = folder.write("one.csv", "timestamp,user,items\n0,u,a\n").string();
  EXPECT_THROW(plan_queries(one, settings), InputError);
  const auto three = folder.write("three.csv", "timestamp,user,items\n0,u,a\n86400,u,a\n172800,u,a\n").string();
  const QueryPlan plan = plan_queries(three, settings);
  EXPECT_EQ(plan.windows, 3u);
  EXPECT_EQ(plan.pretraining.windows, 1u);
  EXPECT_EQ(plan.queries, (std::set<std::uint64_t>{1, 2}));
}

TEST(Outline, TellsWhetherReadingWasStopped) {
  const TemporaryFolder folder;
  const auto path = folder.write("s.csv", "timestamp,user,items\n0,u,a\n").string();
  Settings settings;
  settings.attributes = shopping_attributes();
  EXPECT_TRUE(outline_stream(path, settings, {}, [] { return true; }).stopped);
  EXPECT_FALSE(outline_stream(path, settings, {}, [] { return false; }).stopped);
}

}  // namespace
}  // namespace meteor
