#include "storage/checkpoint_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "fixtures/checkpointed_run.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

using CheckpointFolderTest = CheckpointedRun;

TEST_F(CheckpointFolderTest, ADamagedCheckpointIsPassedOverAndNoIntactOneIsAnError) {
  const CheckpointFolder checkpoints(folder_.path() / "checkpoints");
  EXPECT_FALSE(checkpoints.newest());
  learn(4, {}, checkpoints.path_of(4));
  learn(6, {}, checkpoints.path_of(6));
  EXPECT_EQ(checkpoints.newest()->run.windows, 6u);
  const auto damage = [](const fs::path& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
    file.put('\x5a');
    file.put('\xa5');
  };
  damage(checkpoints.path_of(6));
  testing::internal::CaptureStderr();
  EXPECT_EQ(checkpoints.newest()->run.windows, 4u);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::StartsWith("meteor: warning: " + checkpoints.path_of(6).string() + " is damaged"));
  fs::resize_file(checkpoints.path_of(4), 1000);
  EXPECT_THROW(checkpoints.newest(), StorageError);
}

TEST_F(CheckpointFolderTest, AFolderServesOneRunAtATime) {
  const fs::path path = folder_.path() / "checkpoints";
  {
    const CheckpointFolder first(path);
    try {
      const CheckpointFolder second(path);
      FAIL() << "the folder was given twice";
    } catch (const StorageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("process " + std::to_string(getpid())));
    }
  }
  EXPECT_NO_THROW(CheckpointFolder again(path));
}

TEST_F(CheckpointFolderTest, ANameThatIsInUseStaysSoWhenTheFolderIsRemoved) {
  const fs::path path = folder_.path() / "checkpoints";
  {
    const CheckpointFolder first(path);
    fs::remove_all(path);
    EXPECT_THAT([&] { const CheckpointFolder second(path); },
                testing::ThrowsMessage<StorageError>(testing::HasSubstr("is in use by another run (host ")));
    EXPECT_NO_THROW(first.check_ours()) << "the folder is empty, and nobody else's";
  }
  EXPECT_NO_THROW(CheckpointFolder again(path));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 2) << "besides the stream, no lock is left";
}

TEST_F(CheckpointFolderTest, ARunWhoseLocksWereRemovedNoticesThatAnotherHasItsFolder) {
  const fs::path path = folder_.path() / "checkpoints";
  const CheckpointFolder first(path);
  fs::remove_all(path);
  fs::remove(folder_.path() / ".checkpoints.meteor-lock");
  const CheckpointFolder second(path);
  EXPECT_THAT([&] { first.check_ours(); }, testing::ThrowsMessage<StorageError>(testing::HasSubstr("another run")));
  EXPECT_NO_THROW(second.check_ours());
}

TEST_F(CheckpointFolderTest, WhatIsInThePlaceOfTheLockStaysAsItIs) {
  const fs::path path = folder_.path() / "checkpoints";
  fs::create_directory(path);
  const fs::path precious = folder_.write("precious", "mine");
  const auto expect_refused = [&] {
    EXPECT_THAT([&] { const CheckpointFolder checkpoints(path); },
                testing::ThrowsMessage<StorageError>(testing::HasSubstr("lock: it is ")));
    fs::remove(path / "lock");
    EXPECT_EQ(fs::file_size(precious), 4u);
  };
  fs::create_symlink(precious, path / "lock");
  expect_refused();
  fs::create_hard_link(precious, path / "lock");
  expect_refused();
  fs::copy_file(precious, path / "lock");
  expect_refused();
  ASSERT_EQ(::mkfifo((path / "lock").c_str(), 0600), 0);
  expect_refused();
}

TEST_F(CheckpointFolderTest, TheNewestAndEveryMthStay) {
  const CheckpointFolder checkpoints(folder_.path() / "checkpoints");
  for (std::uint64_t windows = 1; windows <= 12; ++windows) std::ofstream(checkpoints.path_of(windows)) << "x";
  CheckpointSettings settings;
  settings.keep = 2;
  settings.keep_every = 5;
  checkpoints.prune(settings, 12);
  for (std::uint64_t windows = 1; windows <= 12; ++windows) {
    EXPECT_EQ(fs::exists(checkpoints.path_of(windows)), windows >= 11 || windows % 5 == 0) << windows;
  }
}

TEST_F(CheckpointFolderTest, DamagedOnesDoNotTakeThePlaceOfNewOnes) {
  const CheckpointFolder checkpoints(folder_.path() / "checkpoints");
  for (const std::uint64_t windows : {4, 5, 8, 9}) std::ofstream(checkpoints.path_of(windows)) << "x";
  CheckpointSettings settings;
  settings.keep = 1;
  checkpoints.prune(settings, 5);  // the run went on from 4: 8 and 9 were damaged
  EXPECT_TRUE(fs::exists(checkpoints.path_of(5)));
  EXPECT_FALSE(fs::exists(checkpoints.path_of(4)));
}

TEST_F(CheckpointFolderTest, WhatAKilledRunLeftHalfWrittenIsRemoved) {
  const fs::path path = folder_.path() / "checkpoints";
  fs::create_directory(path);
  const fs::path half = path / "checkpoint-0000000004.h5.partial";
  const fs::path other = path / "notes.partial";
  for (const fs::path& file : {half, other}) std::ofstream(file) << "x";
  const CheckpointFolder checkpoints(path);
  EXPECT_FALSE(fs::exists(half));
  EXPECT_TRUE(fs::exists(other)) << "it is not ours";
}

}  // namespace
}  // namespace meteor
