#include "commands/command_line.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/load_settings.h"
#include "fixtures/temporary_folder.h"

namespace meteor {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string shopping = METEOR_CONFIGS "/shopping.toml";

struct Outcome {
  int status;
  std::string output;
  std::string errors;
};

Outcome run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "meteor");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run_command_line(static_cast<int>(arguments.size()), arguments.data());
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(CommandLine, HelpTellsTheFirstCommandsAndTheExitStatuses) {
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("meteor train --config"), HasSubstr("Exit status: 0 done"), HasSubstr("settings")));
}

TEST(CommandLine, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, StartsWith("meteor "));
}

TEST(CommandLine, WrongUsageIsStatusTwoWithAHint) {
  EXPECT_THAT(run({}).errors, EndsWith("; meteor --help tells more\n"));
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"setings"}).status, 2);
  EXPECT_EQ(run({"setings"}).errors,
            "meteor: there is no command setings (did you mean settings?); meteor --help tells more\n");
  const Outcome outcome = run({"settings"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.errors, "meteor: --config is required; meteor settings --help tells more\n");
}

TEST(CommandLine, EveryFaultOfTheSettingsIsALine) {
  const Outcome outcome = run({"settings", "--config", shopping.c_str(), "--set", "learning.rte=1", "--set", "a.b=2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors,
            "meteor: --set a.b is not a setting\n"
            "meteor: --set learning.rte is not a setting; did you mean learning.rate?\n");
}

TEST(CommandLine, AnInputThatQuotesALineBreakIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::string input = folder.write("s.csv", "time,\"user\nmeteor: all is well\"\n").string();
  const Outcome outcome = run({"train", "--config", shopping.c_str(), "--input", input.c_str()});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.errors, EndsWith("the header has: time, user\\x0ameteor: all is well\n"));
}

TEST(CommandLine, SetTakesOneValueEachTime) {
  const Outcome outcome = run({"settings", "--config", shopping.c_str(), "--set", "learning.epochs=2", "stray"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("stray"));
}

TEST(SettingsCommand, PrintsWhatIsInEffectAsTomlThatLoads) {
  const Outcome outcome = run({"settings", "--config", shopping.c_str(), "--set", "stream.window=1 hour"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const TemporaryFolder folder;
  const Settings settings = load_settings(folder.write("printed.toml", outcome.output));
  EXPECT_EQ(std::get<Duration>(settings.stream.window).seconds, 3600);
  EXPECT_EQ(settings.attributes[1].separator, " ");
}

TEST(SettingsCommand, PrintsJson) {
  const Outcome outcome = run({"settings", "--json", "--config", shopping.c_str()});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["learning"]["epochs"], 3);
}

}  // namespace
}  // namespace meteor
