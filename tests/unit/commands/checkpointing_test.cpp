#include "commands/checkpointing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fixtures/checkpointed_run.h"
#include "fixtures/planted_model.h"
#include "support/stop_signal.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CheckpointingTest : public CheckpointedRun {
 protected:
  std::string checkpoints() const { return folder_.file("checkpoints"); }
  fs::path checkpoint(std::uint64_t windows) const {
    return fs::path(checkpoints()) / fmt::format("checkpoint-{:010}.h5", windows);
  }
  /// After so many windows.
  void rest(Checkpointing& checkpointing, std::uint64_t windows) {
    run_.windows = windows;
    checkpointing.at_rest(settings_, vocabulary_, embedding_, run_, admitting_);
  }
  bool finish(Checkpointing& checkpointing) { return checkpointing.finish(settings_, vocabulary_, embedding_, run_); }
  std::string refusal(const Settings& now) const {
    try {
      check_same_settings(settings_, now);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  const std::unique_ptr<Crew> crew_ = local_crew(settings_);
  Vocabulary vocabulary_ = empty_vocabulary(settings_.attributes);
  OnlineEmbedding embedding_{settings_, *crew_};
  RunState run_;
  std::mutex admitting_;
};

TEST_F(CheckpointingTest, WritesAfterSoManyWindowsAndAtTheEnd) {
  settings_.checkpoint.every_windows = 5;
  Checkpointing checkpointing(checkpoints(), ResumeMode::automatic, settings_.checkpoint);
  EXPECT_FALSE(checkpointing.take_found());
  for (std::uint64_t windows = 1; windows <= 7; ++windows) rest(checkpointing, windows);
  EXPECT_TRUE(finish(checkpointing));
  for (std::uint64_t windows = 1; windows <= 7; ++windows) {
    EXPECT_EQ(fs::exists(checkpoint(windows)), windows == 5 || windows == 7) << windows;
  }
}

TEST_F(CheckpointingTest, CountsWindowsFromTheCheckpointThatItGoesOnFrom) {
  settings_.checkpoint.every_windows = 5;
  {
    Checkpointing checkpointing(checkpoints(), ResumeMode::automatic, settings_.checkpoint);
    Model model = testing::empty_model(settings_.learning.dimension);
    model.windows = 3;
    const OnlineEmbedding learnt(settings_, *crew_, std::move(model), {});
    run_.windows = run_.next_number = run_.records = run_.end.records = 3;
    EXPECT_TRUE(checkpointing.finish(settings_, vocabulary_, learnt, run_));
  }
  Checkpointing checkpointing(checkpoints(), ResumeMode::require, settings_.checkpoint);
  EXPECT_EQ(checkpointing.take_found()->run.windows, 3u);
  EXPECT_FALSE(checkpointing.take_found()) << "it is given once";
  for (std::uint64_t windows = 4; windows <= 8; ++windows) rest(checkpointing, windows);
  EXPECT_TRUE(finish(checkpointing));
  EXPECT_FALSE(fs::exists(checkpoint(5)));
  EXPECT_TRUE(fs::exists(checkpoint(8)));
}

TEST_F(CheckpointingTest, ASignalAsksForOne) {
  settings_.checkpoint.every_windows = 0;
  Checkpointing checkpointing(checkpoints(), ResumeMode::automatic, settings_.checkpoint);
  rest(checkpointing, 1);
  pass_on_signals(false, true);
  rest(checkpointing, 2);
  rest(checkpointing, 3);
  EXPECT_TRUE(finish(checkpointing));
  EXPECT_FALSE(fs::exists(checkpoint(1)));
  EXPECT_TRUE(fs::exists(checkpoint(2)));
}

TEST_F(CheckpointingTest, NothingIsWrittenBeforeTheFirstWindow) {
  Checkpointing checkpointing(checkpoints(), ResumeMode::automatic, settings_.checkpoint);
  EXPECT_FALSE(finish(checkpointing));
  EXPECT_FALSE(fs::exists(checkpoint(0)));
}

TEST_F(CheckpointingTest, OneThatIsRequiredMustBeThere) {
  EXPECT_THROW(Checkpointing(checkpoints(), ResumeMode::require, settings_.checkpoint), StorageError);
}

TEST_F(CheckpointingTest, ARunThatStartsAnewReplacesTheOlderOnesWhenItHasOne) {
  {
    Checkpointing checkpointing(checkpoints(), ResumeMode::automatic, settings_.checkpoint);
    run_.windows = 30;
    EXPECT_TRUE(finish(checkpointing));
  }
  Checkpointing checkpointing(checkpoints(), ResumeMode::never, settings_.checkpoint);
  EXPECT_FALSE(checkpointing.take_found());
  EXPECT_TRUE(fs::exists(checkpoint(30)));
  run_.windows = 2;
  EXPECT_TRUE(finish(checkpointing));
  EXPECT_FALSE(fs::exists(checkpoint(30)));
  EXPECT_TRUE(fs::exists(checkpoint(2)));
}

TEST_F(CheckpointingTest, SettingsThatChangeTheModelAreAllNamedAndOthersMayDiffer) {
  EXPECT_EQ(refusal(settings_), "");
  Settings now = settings_;
  now.parallel.threads = 7;
  now.checkpoint.every_windows = 1;
  now.checkpoint.required = true;
  EXPECT_EQ(refusal(now), "");
  now.learning.rate = 0.5;
  now.attributes[1].min_count = 4;
  EXPECT_THAT(refusal(now), AllOf(HasSubstr("learning.rate was 0.05 and is 0.5"), HasSubstr("min_count was 1 and is 4"),
                                  HasSubstr("--resume never"), Not(HasSubstr("threads"))));
}

TEST_F(CheckpointingTest, CategoriesThatHaveChangedAreRefused) {
  const auto read = [&](const std::string& text) {
    settings_.attributes[1].clusters = ClusterSource::categories;
    settings_.attributes[1].categories = folder_.write("categories.csv", text);
    return Categories(settings_.attributes);
  };
  RunState run;
  run.categories = read("item,category\ni1,a\n").hashes();
  EXPECT_NO_THROW(check_same_categories(run, read("item,category\ni1,a\n"), settings_));
  try {
    check_same_categories(run, read("item,category\ni1,b\n"), settings_);
    FAIL() << "other categories were accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("categories.csv"), HasSubstr("attribute items"), HasSubstr("changed")));
  }
}

}  // namespace
}  // namespace meteor
