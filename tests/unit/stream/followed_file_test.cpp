#include "stream/followed_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using ::testing::HasSubstr;

/// A file that is followed. All that happens to it happens between two calls of read, so that no test waits for another
/// thread; where nothing more is to come, following stops after a few looks.
class FollowedFile : public ::testing::Test {
 protected:
  void write(const std::string& text, std::ios::openmode mode = std::ios::trunc) {
    std::ofstream(path_, std::ios::binary | mode) << text;
  }
  void append(const std::string& text) { write(text, std::ios::app); }
  /// Renames the file and makes another one of its name, as log rotation does.
  void rotate(const std::string& text) {
    std::filesystem::rename(path_, path_ + ".1");
    write(text);
  }
  void follow(const std::string& text) {
    write(text);
    const auto stop = [this] { return looks_left_ && (*looks_left_)-- == 0; };
    source_ = open_source(path_, {.follow = true, .stop = stop, .poll_interval = std::chrono::milliseconds(1)});
    EXPECT_EQ(read(), text);
  }
  std::string read() {
    std::string block(std::size_t{1} << 18, '\0');
    block.resize(source_->read(block));
    return block;
  }
  /// Stops when nothing has come for some looks. Returns what was told.
  std::string expect_nothing() {
    looks_left_ = 5;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(read(), "");
    EXPECT_TRUE(source_->stopped());
    return ::testing::internal::GetCapturedStderr();
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("log.csv");
  std::optional<int> looks_left_;
  std::unique_ptr<ByteSource> source_;
};

TEST_F(FollowedFile, APipeInItsPlaceIsToldAndNotWaitedFor) {
  follow("h\n1\n");
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(expect_nothing(), HasSubstr("has been replaced by something that is not a file"));
}

TEST_F(FollowedFile, GrowsInOnePart) {
  follow("h\n1\n");
  append("2\n");
  EXPECT_EQ(read(), "2\n");
  EXPECT_EQ(source_->part(), 0u);
  EXPECT_EQ(expect_nothing(), "");
}

TEST_F(FollowedFile, IsReadToItsEndBeforeTheOneThatTakesItsPlace) {
  follow("h\n1\n");
  append("2\n");
  rotate("h\n3\n");
  EXPECT_EQ(read(), "2\n");
  EXPECT_EQ(source_->part(), 0u);
  EXPECT_EQ(read(), "h\n3\n");
  EXPECT_EQ(source_->part(), 1u);
  rotate("h\n4\n");
  EXPECT_EQ(read(), "h\n4\n");
  EXPECT_EQ(source_->part(), 2u);
}

TEST_F(FollowedFile, IsReadOnWhileTheOneThatTookItsPlaceIsEmptyOrHasAHeaderOnly) {
  for (const char* begin : {"", "h\n"}) {
    follow("h\n1\n");
    rotate(begin);
    std::ofstream(path_ + ".1", std::ios::app) << "2\n";
    EXPECT_EQ(read(), "2\n");
    write("h\n3\n");
    EXPECT_EQ(read(), "h\n3\n");
  }
}

TEST_F(FollowedFile, EndsItsLastLineBeforeTheNextFile) {
  follow("h\n1");
  rotate("h\n2\n");
  EXPECT_EQ(read(), "\n");
  EXPECT_EQ(read(), "h\n2\n");
}

TEST_F(FollowedFile, IsReadFromItsBeginWhenItIsWrittenAnew) {
  for (const char* text : {"h\n2\n", "h\n11\n12\n", "h\n21\n22\n23\n24\n25\n"}) {
    follow("h\n1\n11\n12\n");
    write(text);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(read(), text);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(path_ + " has been rewritten"));
    EXPECT_EQ(source_->part(), 1u);
  }
}

TEST_F(FollowedFile, IsWaitedForWhenItIsRemovedWhichIsTold) {
  follow("h\n1\n");
  std::filesystem::remove(path_);
  EXPECT_THAT(expect_nothing(), HasSubstr(path_ + " has been removed"));
  follow("h\n1\n");
  std::filesystem::rename(path_, path_ + ".1");
  write("h\n2\n");
  EXPECT_EQ(read(), "h\n2\n");
}

TEST_F(FollowedFile, IsNotReadTwiceWhenACopyTakesItsPlace) {
  follow("h\n1\n2\n");
  rotate("h\n1\n2\n3\n");
  EXPECT_EQ(read(), "3\n");
  write("h\n1\n2\n3\n4\n");
  EXPECT_EQ(read(), "4\n");
  write("h\n1\n");  // by somebody who has not written all of it yet
  EXPECT_THAT(expect_nothing(), HasSubstr("has been rewritten"));
  EXPECT_EQ(source_->part(), 0u);
}

TEST_F(FollowedFile, IsAnInputErrorWhenItBeginsAsBeforeForLongAndThenDiffers) {
  std::string text = "h\n";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + "\n";
  follow(text);
  text[text.size() - 10] = 'x';
  write(text + "more\n");
  EXPECT_THROW(read(), InputError);
}

}  // namespace
}  // namespace meteor
