#include "experiments/results.h"

#include <gmock/gmock.h>

#include "fixtures/experiment_results.h"
#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::filesystem::path& folder) {
  try {
    read_results(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Results, AreTheRunsOfAllStreamsAndSeeds) {
  const TemporaryFolder folder;
  for (std::uint64_t seed : {1, 2})
    write_run(folder.path(), run_json("own", "paper K=5 %", seed, 0.1 * double(seed), 50000));
  write_run(folder.path(), run_json("cj_slice", "full", 1, 0.5, 1000000));
  const Results results = read_results(folder.path());
  EXPECT_EQ(results.runs.size(), 3U);
  EXPECT_THAT(results.streams(), ElementsAre("cj_slice", "own"));  // published ones first
  EXPECT_NEAR(results.spread("own", "paper K=5 %", "mrr")->mean, 0.15, 1e-12);
  EXPECT_NEAR(results.spread("own", "paper K=5 %", "mrr")->deviation, 0.0707107, 1e-6);
  EXPECT_EQ(results.spread("own", "full", "mrr"), std::nullopt);
  EXPECT_TRUE(results.unreadable.empty());
}

TEST(Results, MeasuresFollowFromWhatRunsTell) {
  const RunResult run{"s", "full", 1, run_json("s", "full", 1, 0.5, 94000)};
  EXPECT_EQ(measure(run, "share"), 0.094);
  EXPECT_EQ(measure(run, "ms_per_record"), 0.2);
  EXPECT_EQ(measure(run, "nonsense"), std::nullopt);
  EXPECT_NE(measure(run, "mrr_rare"), std::nullopt);
  RunResult none_rare = run;
  none_rare.object["queries_rare"] = 0;
  EXPECT_EQ(measure(none_rare, "mrr_rare"), std::nullopt);
}

TEST(Results, FilesThatCannotBeUsedAreNamedWithTheReason) {
  const TemporaryFolder folder;
  write_run(folder.path(), run_json("s", "full", 1, 0.5, 1000000));
  auto without = run_json("s", "info", 1, 0.5, 1);
  without.erase("model_bytes");
  write_run(folder.path(), without);
  write_run(folder.path(), run_json("s", "decay", 1, 7, 1));
  write_json(folder.path() / "runs/s/copy.json", run_json("s", "full", 1, 0.5, 1000000));
  write_json(folder.path() / "runs/s/list.json", nlohmann::ordered_json::array());
  std::ofstream(folder.path() / "runs/s/cut.json") << R"({"stream": "s", "mr)";
  std::filesystem::create_directories(folder.path() / "drift");
  std::ofstream(folder.path() / "drift/s.json") << R"({"stream": "s", "windows": [{"window": 1}]})";
  std::ofstream(folder.path() / "runs/s/info.seed2.json.partial") << "{";  // a run that is not finished is no result
  const Results results = read_results(folder.path());
  ASSERT_EQ(results.runs.size(), 1U);
  std::vector<std::string> lines;
  for (const UnreadableFile& file : results.unreadable) lines.push_back(file.path + ": " + file.reason);
  EXPECT_THAT(lines, ElementsAre("runs/s/cut.json: it is no complete JSON",
                                 "runs/s/decay.seed1.json: \"mrr\" is 7, not from 0 to 1",
                                 "runs/s/full.seed1.json: another file holds the same result",
                                 "runs/s/info.seed1.json: it has no \"model_bytes\"",
                                 "runs/s/list.json: it has no \"stream\"", "drift/s.json: it has no \"units\""));
}

TEST(Results, NoneAtAllAreRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(folder.path()), folder.path().string() + " holds no result of meteor experiment");
  EXPECT_THAT(refusal(folder.path() / "nowhere"), HasSubstr("nowhere holds no result"));
  std::filesystem::create_directories(folder.path() / "sizes");
  std::ofstream(folder.path() / "sizes/s.json") << "[]";
  EXPECT_THAT(refusal(folder.path()), HasSubstr("1 files cannot be used, of sizes/s.json it has no \"stream\""));
}

TEST(Results, PresenceDriftAndSizesAreRead) {
  const TemporaryFolder folder;
  write_json(folder.path() / "presence/s.json",
             {{"stream", "s"}, {"attributes", {{{"name", "user"}, {"units", 7}, {"windows", {0.5, 0.25}}}}}});
  write_json(folder.path() / "drift/s.json",
             {{"stream", "s"}, {"windows", {{{"window", 3}, {"units", 10}, {"changed", 0.1}}}}});
  write_json(folder.path() / "sizes/s.json",
             {{"stream", "s"}, {"clusters", {{{"attribute", "user"}, {"units", 5}, {"basis_vectors", 2}}}}});
  const Results results = read_results(folder.path());
  EXPECT_THAT(results.presence.at(0).attributes.at(0).shares, ElementsAre(0.5, 0.25));
  EXPECT_EQ(results.drift.at(0).windows.at(0).changed, 0.1);
  EXPECT_EQ(results.sizes.at(0).clusters.at(0).units, 5U);
}

}  // namespace
}  // namespace meteor
