#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "fixtures/stream_run.h"
#include "support/error.h"

namespace meteor {
namespace {

using StreamInputTest = StreamRunTest;

TEST_F(StreamInputTest, RecordsAfterTheLastWindowAreAccountedForToo) {
  settings_.compression.scheme = CompressionScheme::none;  // a few units have no room in their budget
  settings_.stream.max_reject_fraction = 1;
  const TemporaryFolder folder;
  StreamInput input;
  input.path = folder.write("s.csv", "timestamp,user,items\n0,u,a b\n86400,lonely,\n86401,,c\nno time,u,a\n").string();
  const RunTotals totals = run(input).totals;
  EXPECT_EQ(totals.records, 1u);
  EXPECT_EQ(totals.skipped.too_small, 2u);
  EXPECT_EQ(totals.rejected, 1u);
}

TEST_F(StreamInputTest, AWindowLimitStopsTheRun) {
  StreamInput some = input();
  some.max_windows = 3;
  EXPECT_EQ(run(some).totals.windows, 3u);
}

TEST_F(StreamInputTest, AStopWhileTheLearntPartIsReadAgainHaltsTheRunAsItWas) {
  Vocabulary vocabulary({1, 1});
  const auto crew = local_crew(settings_);
  OnlineEmbedding embedding(settings_, *crew);
  RunState state = run_start({5, {}});
  StreamInput some = input();
  some.max_windows = 3;
  run_stream(some, settings_, state, vocabulary, {}, embedding, {});
  RunHooks hooks;
  hooks.halt = [] { return true; };
  const std::uint64_t offset = state.end.offset;
  const RunTotals totals = run_stream(input(), settings_, state, vocabulary, {}, embedding, hooks);
  EXPECT_TRUE(totals.halted);
  EXPECT_EQ(totals.windows, 0u);
  EXPECT_EQ(state.windows, 3u);
  EXPECT_EQ(state.end.offset, offset);
}

TEST_F(StreamInputTest, PretrainingIsCountedFromTheFirstWindowEvenIfThatTeachesNothing) {
  settings_.compression.scheme = CompressionScheme::none;  // a few units have no room in their budget
  settings_.evaluation.pretrain = Duration{3 * 86400};
  const TemporaryFolder folder;
  StreamInput input;
  std::string text = "timestamp,user,items\n0,lonely,\n";
  for (int day = 1; day < 8; ++day) text += fmt::format("{},u,a b\n", day * 86400);
  input.path = folder.write("s.csv", text).string();
  const Outcome outcome = run(input);
  ASSERT_EQ(outcome.reports.size(), 7u) << "the first window is not learnt";
  const QueryPlan plan = plan_queries(input.path, settings_);
  EXPECT_EQ(plan.queries.size(), 5u);
  for (const WindowReport& report : outcome.reports) {
    EXPECT_EQ(report.pretraining, report.window < 3) << "window " << report.window;
    EXPECT_FALSE(report.pretraining && plan.queries.contains(report.window)) << "window " << report.window;
  }
}

TEST_F(StreamInputTest, AnInputThatShrinksAfterItsFirstReadingIsLearntUpToItsLastWholeWindow) {
  const TemporaryFolder folder;
  StreamInput shrunk;
  shrunk.path = folder.file("s.csv");
  std::filesystem::copy_file(stream(), shrunk.path);
  const StreamOutline outline = outline_stream(shrunk.path, settings_);
  std::filesystem::resize_file(shrunk.path, outline.text.bytes / 2);
  Vocabulary vocabulary({1, 1});
  const auto crew = local_crew(settings_);
  OnlineEmbedding embedding(settings_, *crew);
  RunState state = run_start({5, {}}, 0, outline.text);
  EXPECT_THROW(run_stream(shrunk, settings_, state, vocabulary, {}, embedding, {}), InputError);
  EXPECT_GT(state.windows, 5u);
  EXPECT_LT(state.end.offset, outline.text.bytes / 2);

  std::filesystem::copy_file(stream(), shrunk.path, std::filesystem::copy_options::overwrite_existing);
  run_stream(shrunk, settings_, state, vocabulary, {}, embedding, {});
  EXPECT_EQ(state.windows, run().totals.windows) << "it goes on when the input is restored";
}

TEST_F(StreamInputTest, AStreamThatTeachesNothingIsAnInputErrorThatNamesIt) {
  const TemporaryFolder folder;
  const auto path = folder.write("s.csv", "timestamp,user,items\n0,lonely,\n").string();
  StreamInput input;
  input.path = path;
  Vocabulary vocabulary({1, 1});
  const auto crew = local_crew(settings_);
  OnlineEmbedding embedding(settings_, *crew);
  try {
    run_from_start(input, settings_, {5, {}}, vocabulary, embedding, {});
    FAIL() << "nothing was learnt";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(path));
  }
}

TEST_F(StreamInputTest, AFollowedStreamEndsAtTheWindowLimit) {
  StreamInput followed = input();
  followed.follow = true;
  followed.max_windows = 3;
  EXPECT_EQ(run(followed).totals.windows, 3u);
}

TEST_F(StreamInputTest, AWindowIsAskedOnceHoweverItIsCutAndInHoweverManyRounds) {
  std::set<std::uint64_t> queries;
  for (std::uint32_t shards : {1, 4}) {
    for (std::uint32_t rounds : {1, 2}) {
      settings_.parallel.shards = shards;
      settings_.parallel.rounds = rounds;
      Vocabulary vocabulary({1, 1});
      const auto crew = local_crew(settings_);
      OnlineEmbedding embedding(settings_, *crew);
      RunHooks hooks;
      hooks.asks = [](const Window& window) { return window.number == 20; };
      hooks.after_learning = [&](const WindowReport& report, const RunTotals&) {
        EXPECT_EQ(report.score.queries > 0, report.window == 20);
      };
      queries.insert(run_from_start(input(), settings_, {5, {}}, vocabulary, embedding, hooks).score.queries);
    }
  }
  EXPECT_EQ(queries.size(), 1u);
}

}  // namespace
}  // namespace meteor
