#include "support/side_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "fixtures/full_disk.h"
#include "fixtures/temporary_folder.h"

namespace meteor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

class SideFileTest : public ::testing::Test {
 protected:
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  void put(const std::string& text) const { std::ofstream(path_) << text; }
  /// 1000 bytes, so that a disk without room for a few has room for what is told of it.
  static std::string line(std::uint64_t window) { return fmt::format("window {:0>992}\n", window); }
  static void write(SideFile& file, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t window = first; window <= last; ++window) file.write(window, line(window));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("side.txt");
};

TEST_F(SideFileTest, ANewRunWritesItAnew) {
  put("of another run\n");
  SideFile file(path_);
  write(file, 0, 1);
  EXPECT_EQ(content(), line(0) + line(1));
  EXPECT_EQ(file.bytes(), 2000u);
}

TEST_F(SideFileTest, ALineThatDoesNotFitIsLeftOutAsAWholeAndToldWithItsWindow) {
  SideFile file(path_);
  CaptureStderr();
  {
    const FullDisk disk(2500);
    write(file, 3, 7);
    file.finish();
  }
  EXPECT_EQ(content(), line(3) + line(4));
  EXPECT_EQ(file.bytes(), 2000u) << "where a run goes on";
  EXPECT_EQ(
      GetCapturedStderr(),
      fmt::format("meteor: warning: {0} cannot be written: File too large; lines from window 5 on are missing, and "
                  "the run goes on\nmeteor: warning: {0} lacks its last lines, from window 5 on\n",
                  path_));
}

TEST_F(SideFileTest, LinesAreWrittenAgainWhenThereIsRoomAndTheHoleIsTold) {
  SideFile file(path_);
  CaptureStderr();
  {
    const FullDisk disk(2500);
    write(file, 3, 6);
  }
  write(file, 7, 8);
  file.finish();
  EXPECT_EQ(content(), line(3) + line(4) + line(7) + line(8));
  EXPECT_THAT(GetCapturedStderr(), AllOf(HasSubstr("from window 5 on"), HasSubstr("windows 5 to 6 are missing")));
}

TEST_F(SideFileTest, ARunThatGoesOnDropsWhatCameAfterItsCheckpoint) {
  put(line(0) + line(1) + line(2) + "wind");
  CaptureStderr();
  SideFile file(path_, {2000, 2});
  write(file, 2, 2);
  EXPECT_EQ(content(), line(0) + line(1) + line(2));
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST_F(SideFileTest, ARunThatGoesOnTellsOfMissingLinesAndWritesNoneToTheEndOfHalfAOne) {
  put(line(0) + "win");
  CaptureStderr();
  SideFile file(path_, {3000, 3});
  write(file, 3, 3);
  EXPECT_EQ(content(), line(0) + line(3));
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("holds 1 of the 3 lines"));
}

TEST_F(SideFileTest, APositionThatNoFileHasIsSurvived) {
  put(line(0));
  CaptureStderr();
  SideFile file(path_, {~std::uint64_t{0}, 1});
  write(file, 1, 1);
  EXPECT_EQ(content(), line(0) + line(1));
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST_F(SideFileTest, ALineFileGoesOnAfterALineBreak) {
  put("somebody's notes");
  LineFile file(path_);
  EXPECT_EQ(file.append("ours\n"), 0);
  EXPECT_EQ(file.append("more\n"), 0);
  EXPECT_EQ(content(), "somebody's notes\nours\nmore\n");
}

}  // namespace
}  // namespace meteor
