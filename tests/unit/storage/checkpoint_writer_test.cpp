#include "storage/checkpoint_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fixtures/checkpointed_run.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

using CheckpointWriterTest = CheckpointedRun;

TEST_F(CheckpointWriterTest, OneThatCannotBeWrittenIsReportedAndTheNextIsTriedAgain) {
  const CheckpointFolder checkpoints(folder_.path() / "checkpoints");
  const fs::path file = folder_.path() / "c.h5";
  learn(3, {}, file);
  const FileContent content = read_content(file);
  CheckpointSettings settings;
  {
    CheckpointWriter writer(checkpoints, settings, false);
    fs::create_directory(checkpoints.path_of(3));  // in the way
    writer.write(content, 3);
    EXPECT_FALSE(writer.finish());
    writer.write(content, 4);
    EXPECT_TRUE(writer.finish());
  }
  settings.required = true;
  CheckpointWriter writer(checkpoints, settings, false);
  writer.write(content, 3);
  EXPECT_THROW(writer.finish(), StorageError);
}

TEST_F(CheckpointWriterTest, AFolderThatVanishesIsReportedAndTheRunGoesOn) {
  const fs::path path = folder_.path() / "checkpoints";
  const CheckpointFolder checkpoints(path);
  const fs::path file = folder_.path() / "c.h5";
  learn(3, {}, file);
  CheckpointWriter writer(checkpoints, {}, false);
  fs::remove_all(path);
  testing::internal::CaptureStderr();
  writer.write(read_content(file), 3);
  EXPECT_FALSE(writer.finish());
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            fmt::format("meteor: warning: the checkpoint after window 3 was not written: cannot write {}: No such file "
                        "or directory; the next one is tried in its turn\n",
                        checkpoints.path_of(3).string()));
}

TEST_F(CheckpointWriterTest, AFolderThatAnotherRunHasTakenIsNotWritten) {
  const fs::path path = folder_.path() / "checkpoints";
  const CheckpointFolder first(path);
  const fs::path file = folder_.path() / "c.h5";
  learn(3, {}, file);
  fs::remove_all(path);
  fs::remove(folder_.path() / ".checkpoints.meteor-lock");
  const CheckpointFolder second(path);
  testing::internal::CaptureStderr();
  CheckpointWriter writer(first, {}, false);
  writer.write(read_content(file), 3);
  EXPECT_FALSE(writer.finish());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("belongs to another run now"));
  EXPECT_FALSE(second.newest());
}

}  // namespace
}  // namespace meteor
