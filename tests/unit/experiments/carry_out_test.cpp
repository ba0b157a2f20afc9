#include "experiments/carry_out.h"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using testing::HasSubstr;

using PlannedRun = Run;  // Test::Run hides it

class CarryOutTest : public testing::Test {
 protected:
  PlannedRun run(const std::string& name, std::function<ordered_json()> study) const {
    PlannedRun made;
    made.label = name;
    made.result = folder_.path() / "made" / (name + ".json");
    made.log = folder_.path() / "logs" / (name + ".log");
    made.study = std::move(study);
    made.heading = {{"stream", name}};
    return made;
  }
  std::size_t carry(const std::vector<PlannedRun>& runs, std::size_t jobs = 2) const {
    return carry_out(runs, {0, runs.size()}, jobs, folder_.path());
  }
  static std::string text(const fs::path& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
  }
  TemporaryFolder folder_;
};

TEST_F(CarryOutTest, ResultsAreInTheirPlacesAndNothingElseIsLeft) {
  std::vector<PlannedRun> runs;
  for (int i = 0; i < 5; ++i) {
    runs.push_back(run(std::to_string(i), [i] { return ordered_json{{"value", i}}; }));
  }
  EXPECT_EQ(carry(runs), 0u);
  for (int i = 0; i < 5; ++i) {
    const auto result = ordered_json::parse(text(runs[static_cast<std::size_t>(i)].result));
    EXPECT_EQ(result["stream"], std::to_string(i));
    EXPECT_EQ(result["value"], i);
    EXPECT_GE(result["elapsed"], 0);
    EXPECT_FALSE(fs::exists(runs[static_cast<std::size_t>(i)].log)) << "it had nothing to say";
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "unfinished"));
}

TEST_F(CarryOutTest, OneThatFailsDoesNotKeepTheOthers) {
  const std::vector<PlannedRun> runs = {run("a", []() -> ordered_json { throw InputError("no such stream"); }),
                                        run("b", [] {
                                          return ordered_json{{"value", 1}};
                                        })};
  EXPECT_EQ(carry(runs, 1), 1u);
  EXPECT_FALSE(fs::exists(runs[0].result));
  EXPECT_THAT(text(runs[0].log), HasSubstr("no such stream"));
  EXPECT_TRUE(fs::exists(runs[1].result));
}

TEST_F(CarryOutTest, ASignalLeavesWhatWasMade) {
  const pid_t here = getpid();
  const std::vector<PlannedRun> runs = {run("a",
                                            [] {
                                              return ordered_json{{"value", 1}};
                                            }),
                                        run("b", [here]() -> ordered_json {
                                          kill(here, SIGTERM);
                                          while (true) pause();
                                        })};
  try {
    carry(runs, 1);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::stopped);
    EXPECT_THAT(error.what(), HasSubstr("1 of 2 runs are done"));
  }
  EXPECT_TRUE(fs::exists(runs[0].result));
  EXPECT_FALSE(fs::exists(runs[1].result));
  EXPECT_FALSE(fs::exists(folder_.path() / "unfinished"));
}

}  // namespace
}  // namespace meteor
