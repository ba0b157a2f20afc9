#include "support/log.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using testing::ContainsRegex;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

TEST(Log, LinesNameTheProgramAndOnlyWarningsTheirLevel) {
  CaptureStderr();
  log_info("read {} records", 3);
  log_warning("line {} is long", 7);
  log_error("a.toml:3: wrong");
  EXPECT_EQ(GetCapturedStderr(), "meteor: read 3 records\nmeteor: warning: line 7 is long\nmeteor: a.toml:3: wrong\n");
}

TEST(Log, ATextIsOneLine) {
  CaptureStderr();
  log_error("{}", "s.csv: there is no column a; the header has: b\nmeteor: all is well\n");
  EXPECT_EQ(GetCapturedStderr(), "meteor: s.csv: there is no column a; the header has: b\\x0ameteor: all is well\n");
}

TEST(Log, NamesCannotCommandTheTerminal) {
  CaptureStderr();
  log_warning("--context {} is left out", "items=\x1b]0;mine\x07");
  EXPECT_EQ(GetCapturedStderr(), "meteor: warning: --context items=\\x1b]0;mine\\x07 is left out\n");
}

TEST(Log, ALineThatIsFarTooLongLosesItsMiddle) {
  CaptureStderr();
  std::string quoted = "é";
  for (int i = 0; i < 16; ++i) quoted += quoted;
  log_error("s.csv: there is no column x; the header has: {}; use another", quoted);
  const std::string line = GetCapturedStderr();
  EXPECT_LT(line.size(), 2100U);
  EXPECT_TRUE(line.starts_with("meteor: s.csv: there is no column x; the header has: éé")) << line;
  EXPECT_TRUE(line.ends_with("éé; use another\n")) << line;
  EXPECT_THAT(line, ContainsRegex("é \\[[0-9]+ bytes\\] é"));
}

TEST(Log, QuietKeepsWarnings) {
  CaptureStderr();
  set_quiet(true);
  log_info("chatter");
  log_warning("careful");
  set_quiet(false);
  EXPECT_EQ(GetCapturedStderr(), "meteor: warning: careful\n");
}

TEST(Log, FileReceivesTimestampedLinesEvenWhenQuiet) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "run.log";
  CaptureStderr();
  open_log_file(file);
  set_quiet(true);
  log_info("window {}", 1);
  set_quiet(false);
  GetCapturedStderr();
  std::stringstream content;
  content << std::ifstream(file).rdbuf();
  EXPECT_THAT(content.str(), ContainsRegex("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z info window 1\n$"));
}

TEST(Log, FileThatCannotBeWrittenIsAUsageError) { EXPECT_THROW(open_log_file("/dev/null/meteor.log"), UsageError); }

TEST(Log, AFileWithoutRoomCostsLinesAndIsToldOnce) {
  CaptureStderr();
  open_log_file("/dev/full");
  log_info("one");
  log_info("two");
  EXPECT_EQ(GetCapturedStderr(),
            "meteor: one\nmeteor: warning: /dev/full cannot be written: No space left on device; messages are missing "
            "from this one on: one\nmeteor: two\n");
}

TEST(Log, LogLineErasesTheStatusLineFirst) {
  CaptureStderr();
  show_status_line("half way");
  log_info("news");
  end_status_line();
  EXPECT_EQ(GetCapturedStderr(), "\r\x1b[Khalf way\r\x1b[Kmeteor: news\n");
}

}  // namespace
}  // namespace meteor
