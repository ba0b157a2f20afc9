#include "support/file_replacement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "support/error.h"

namespace meteor {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FileReplacementTest : public ::testing::Test {
 protected:
  FileReplacementTest() { std::filesystem::create_directories(folder_); }
  ~FileReplacementTest() override { std::filesystem::remove_all(folder_); }

  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + std::to_string(::getpid()));
  std::filesystem::path file_ = folder_ / "file";
};

TEST_F(FileReplacementTest, ACommittedFileHasItsOwnNameAndNothingElseRemains) {
  FileReplacement replacement(file_);
  replacement.stream() << "new";
  EXPECT_FALSE(std::filesystem::exists(file_));
  replacement.commit();
  EXPECT_EQ(content(file_), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileReplacementTest, TheOldFileStaysUntilTheNewOneIsCommitted) {
  std::ofstream(file_) << "old";
  {
    FileReplacement replacement(file_);
    replacement.stream() << "half of the n";
  }
  EXPECT_EQ(content(file_), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileReplacementTest, AMissingFolderIsNamed) {
  const auto attempt = [&] { FileReplacement replacement(folder_ / "absent" / "file"); };
  EXPECT_THAT(attempt, ThrowsMessage<Error>(HasSubstr("absent/file: No such file")));
}

TEST_F(FileReplacementTest, ADeviceIsWrittenAndNotReplaced) {
  FileReplacement replacement("/dev/null");
  replacement.stream() << "gone";
  replacement.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(FileReplacementTest, AFullDiskIsAnError) {
  FileReplacement replacement("/dev/full");
  replacement.stream() << "does not fit";
  EXPECT_THAT([&] { replacement.commit(); }, ThrowsMessage<Error>(HasSubstr("No space left")));
}

}  // namespace
}  // namespace meteor
