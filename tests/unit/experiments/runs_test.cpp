#include "experiments/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using PlannedRun = Run;  // Test::Run hides it

class RunsTest : public ::testing::Test {
 protected:
  RunsTest() {
    folder_.write("a.csv", "timestamp,user,items\n0,u,i j\n");
    folder_.write("a.clusters.csv", "item,category\ni,x\n");
    folder_.write("b.csv", "timestamp,user,items\n0,u,j i\n");
    request_.results = folder_.path() / "results";
    request_.program = "meteor";
    request_.mpirun = "mpirun";
  }
  std::vector<PlannedRun> list(const std::vector<std::string>& names, std::uint64_t seeds = 1,
                               const std::vector<std::string>& overrides = {}) {
    request_.experiments = names;
    request_.seeds = seeds;
    request_.overrides = overrides;
    const std::string data[] = {folder_.file("a.csv"), folder_.file("b.csv")};
    return list_runs(request_, find_streams(data, METEOR_CONFIGS "/shopping.toml"));
  }
  /// Makes a result as evaluate would, with the settings of the run.
  void make(const PlannedRun& run) const {
    const auto written = folder_.write(
        "w.json",
        nlohmann::ordered_json{{"method", "full"}, {"mrr", 0.5}, {"ranks", 1}, {"settings", run.settings}}.dump());
    put_in_place(run, written, 1.5);
  }
  static std::string refusal(const PlannedRun& run) {
    try {
      is_done(run);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }

  TemporaryFolder folder_;
  RunRequest request_;
};

TEST_F(RunsTest, EachResultIsMadeOnce) {
  const auto runs = list({"retrieval", "ablation", "sensitivity", "explicit", "drift"}, 2);
  std::set<std::filesystem::path> results;
  for (const PlannedRun& run : runs) EXPECT_TRUE(results.insert(run.result).second) << run.label;
  EXPECT_TRUE(results.contains(request_.results / "runs/a/full.seed2.json"));
  EXPECT_TRUE(results.contains(request_.results / "runs/a/paper_with_categories.seed1.json"));
  EXPECT_FALSE(results.contains(request_.results / "runs/b/paper_with_categories.seed1.json"));
  EXPECT_TRUE(results.contains(request_.results / "drift/b.json"));
}

TEST_F(RunsTest, OnSeveralRanksComeLastThroughMpirun) {
  const auto runs = list({"parallel", "sizes"});
  ASSERT_EQ(runs.size(), 10u);
  EXPECT_TRUE(runs[0].study && runs[1].study);
  const auto& command = runs.back().command;
  EXPECT_THAT(std::vector(command.begin(), command.begin() + 5),
              ElementsAre("mpirun", "-n", "8", "meteor", "evaluate"));
  EXPECT_THAT(command, Contains("parallel.shards=8"));
}

TEST_F(RunsTest, AreDoneOnceTheirResultIsInPlace) {
  const PlannedRun run = list({"ablation"})[0];
  EXPECT_FALSE(is_done(run));
  make(run);
  EXPECT_TRUE(is_done(run));
  EXPECT_TRUE(is_done(list({"retrieval"})[0])) << "which is the same run";
  EXPECT_FALSE(is_done(list({"ablation"})[1]));

  std::ifstream file(run.result);
  const auto result = nlohmann::ordered_json::parse(file);
  std::vector<std::string> keys;
  for (const auto& [key, value] : result.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("stream", "variant", "seed", "overrides", "ranks", "cores", "data", "elapsed", "method",
                                "mrr", "settings"));
  EXPECT_EQ(result["stream"], "a");
  EXPECT_EQ(result["variant"], "full");
  EXPECT_EQ(result["ranks"], 0) << "what was asked for: one process";
}

TEST_F(RunsTest, MadeWithOtherSettingsAreRefused) {
  make(list({"ablation"})[0]);
  EXPECT_EQ(refusal(list({"ablation"}, 1, {"checkpoint.keep=9", "parallel.patience=7"})[0]), "none");
  const std::string words = refusal(list({"ablation"}, 1, {"learning.epochs=7"})[0]);
  EXPECT_THAT(words, HasSubstr("runs/a/full.seed1.json was made with other settings: learning.epochs was 3 and is 7"));
}

TEST_F(RunsTest, MadeFromOtherDataAreRefused) {
  const auto runs = list({"explicit"});
  const PlannedRun& categorised = runs.back();
  ASSERT_THAT(categorised.label, HasSubstr("with categories"));
  make(runs[0]);
  make(categorised);
  folder_.write("a.clusters.csv", "item,category\ni,y\n");
  EXPECT_EQ(refusal(list({"explicit"})[0]), "none");
  EXPECT_THAT(refusal(list({"explicit"}).back()), HasSubstr("a.csv's categories before it changed"));
  folder_.write("a.csv", "timestamp,user,items\n0,u,i k\n");
  EXPECT_THAT(refusal(list({"explicit"})[0]), HasSubstr("a.csv before it changed"));
}

TEST_F(RunsTest, ThatAreNotWholeAreMadeAgain) {
  const PlannedRun run = list({"ablation"})[0];
  make(run);
  std::filesystem::resize_file(run.result, 100);
  EXPECT_FALSE(is_done(run));
  std::filesystem::resize_file(run.result, 0);
  EXPECT_FALSE(is_done(run));
}

TEST_F(RunsTest, StreamsAreNamedAfterTheirFiles) {
  folder_.write("c=d.csv.gz", "");
  const std::string data[] = {folder_.file("c=d.csv.gz"), folder_.file("a.csv") + "=other.toml"};
  const auto streams = find_streams(data, "some.toml");
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].name, "c=d");
  EXPECT_EQ(streams[0].config, "some.toml");
  EXPECT_EQ(streams[1].name, "a");
  EXPECT_EQ(streams[1].config, "other.toml");
  EXPECT_TRUE(streams[1].categories);
  EXPECT_FALSE(streams[0].categories);
}

TEST_F(RunsTest, StreamsThatCannotBeToldApartOrReadAreRefused) {
  const std::string twice[] = {folder_.file("a.csv"), folder_.file("a.csv")};
  EXPECT_THROW(find_streams(twice, "some.toml"), UsageError);
  const std::string missing[] = {folder_.file("nowhere.csv")};
  EXPECT_THROW(find_streams(missing, "some.toml"), InputError);
  const std::string unconfigured[] = {folder_.file("a.csv")};
  EXPECT_THROW(find_streams(unconfigured, ""), UsageError);
}

}  // namespace
}  // namespace meteor
