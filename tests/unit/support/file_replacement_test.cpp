#include "support/file_replacement.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FileReplacementTest : public ::testing::Test {
 protected:
  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void write(FileReplacement& replacement, const std::string& text) {
    replacement.stream() << text;
    replacement.commit();
  }
  static void write(const fs::path& path, const std::string& text) {
    FileReplacement replacement(path);
    write(replacement, text);
  }
  std::vector<fs::path> unfinished() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == kUnfinishedSuffix) found.push_back(entry.path());
    }
    return found;
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  static void expect_refused(const fs::path& path, const std::string& reason) {
    const auto attempt = [&] { FileReplacement replacement(path); };
    EXPECT_THAT(attempt, ThrowsMessage<Error>(AllOf(HasSubstr(path.string()), HasSubstr(reason))));
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
  const fs::path file_ = folder_ / "file";
};

TEST_F(FileReplacementTest, ACommittedFileHasItsOwnNameAndNothingElseRemains) {
  FileReplacement replacement(file_);
  replacement.stream() << "new";
  EXPECT_FALSE(fs::exists(file_));
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
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileReplacementTest, AFullDiskIsAnError) {
  FileReplacement replacement("/dev/full");
  replacement.stream() << "does not fit";
  EXPECT_THAT([&] { replacement.commit(); }, ThrowsMessage<Error>(HasSubstr("No space left")));
}

TEST_F(FileReplacementTest, WhatIsNotARegularFileStaysAsItIs) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const fs::path socket = folder_ / "socket";
  socket.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(listener);
  fs::create_directory(folder_ / "folder");
  fs::create_symlink("fifo", folder_ / "link");
  fs::create_symlink("loop", folder_ / "loop");
  expect_refused(fifo, "it is a FIFO");
  expect_refused(folder_ / "link", "it is a FIFO");
  expect_refused(socket, "it is a socket");
  expect_refused(folder_ / "folder", "it is a folder");
  expect_refused(folder_ / "folder" / "", "directory");
  expect_refused(folder_ / "loop", "symbolic links");
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_TRUE(fs::is_socket(socket));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  const auto model = [] { FileReplacement replacement("/dev/null", Targets::files); };
  EXPECT_THAT(model, ThrowsMessage<Error>(HasSubstr("/dev/null: it is a device")));
}

TEST_F(FileReplacementTest, WhatTookThePlaceMeanwhileStaysToo) {
  FileReplacement replacement(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT([&] { write(replacement, "new"); }, ThrowsMessage<Error>(HasSubstr("it is a FIFO")));
  EXPECT_TRUE(fs::is_fifo(file_));
}

TEST_F(FileReplacementTest, TwoWritersOfAFileEachWriteItWhole) {
  FileReplacement first(file_);
  FileReplacement second(file_);
  first.stream() << std::string(100000, 'a');
  second.stream() << std::string(50000, 'b');
  first.commit();
  EXPECT_EQ(content(file_), std::string(100000, 'a'));
  second.commit();
  EXPECT_EQ(content(file_), std::string(50000, 'b'));
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileReplacementTest, ALinkStaysAndLeadsToTheNewFile) {
  fs::create_directory(folder_ / "elsewhere");
  fs::create_symlink("elsewhere/file", file_);
  for (const std::string text : {"one", "two"}) {  // the first time the link leads to nothing yet
    write(file_, text);
    EXPECT_TRUE(fs::is_symlink(file_));
    EXPECT_EQ(content(folder_ / "elsewhere" / "file"), text);
  }
  EXPECT_TRUE(unfinished().empty());
}

TEST_F(FileReplacementTest, ALinkThatAnotherUserPutIntoAFolderForAllIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make links of others";
  std::ofstream(folder_ / "precious") << "mine";
  const fs::path common = folder_ / "common";
  fs::create_directory(common);
  ASSERT_EQ(::chmod(common.c_str(), 01777), 0);
  fs::create_symlink("../precious", common / "file");
  ASSERT_EQ(::lchown((common / "file").c_str(), 65534, 65534), 0);
  expect_refused(common / "file", "a link of another user");
  EXPECT_EQ(content(folder_ / "precious"), "mine");
}

TEST_F(FileReplacementTest, AnUnfinishedFileIsNeverWrittenThroughALink) {
  std::ofstream(folder_ / "precious") << "mine";
  std::optional<FileReplacement> first(std::in_place, file_);
  const std::string name = unfinished().at(0).string();  // ends with -N.partial
  first.reset();
  const std::size_t dash = name.rfind('-');
  const int number = std::stoi(name.substr(dash + 1));
  for (int next = number + 1; next < number + 4; ++next) {
    fs::create_symlink("precious", name.substr(0, dash + 1) + std::to_string(next) + std::string(kUnfinishedSuffix));
  }
  write(file_, "new");
  EXPECT_EQ(content(file_), "new");
  EXPECT_FALSE(fs::is_symlink(file_));
  EXPECT_EQ(content(folder_ / "precious"), "mine");
}

TEST_F(FileReplacementTest, WhatAKilledProcessLeftIsRemovedByTheNextAndWhatALivingOneWritesIsNot) {
  const pid_t child = ::fork();
  if (child == 0) {
    FileReplacement replacement(file_);
    replacement.stream() << "half" << std::flush;
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_EQ(unfinished().size(), 1u);
  const fs::path left = unfinished()[0];
  FileReplacement living(file_);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(unfinished().size(), 1u);
  const FileReplacement another(file_);
  EXPECT_EQ(unfinished().size(), 2u);
  write(living, "whole");
  EXPECT_EQ(content(file_), "whole");
}

TEST_F(FileReplacementTest, AnotherFilesUnfinishedOnesAreLeftAlone) {
  const auto other = temporary_.write("file.txt.partial", "not ours");
  write(file_, "new");
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(FileReplacementTest, AnOpenDescriptorIsWrittenWhereItStands) {
  const Descriptor open(::open(file_.c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(write_all(open.number(), "before "), 7u);
  write("/proc/self/fd/" + std::to_string(open.number()), "between ");
  ASSERT_EQ(write_all(open.number(), "after"), 5u);
  EXPECT_EQ(content(file_), "before between after");
  const Descriptor read_only(::open(file_.c_str(), O_RDONLY));
  expect_refused("/proc/self/fd/" + std::to_string(read_only.number()), "not open for writing");
}

TEST_F(FileReplacementTest, LongNamesHaveRoomForATemporaryOne) {
  const fs::path path = folder_ / std::string(255, 'x');
  write(path, "new");
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace meteor
