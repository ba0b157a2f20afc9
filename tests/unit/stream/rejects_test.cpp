#include "stream/rejects.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using ::testing::HasSubstr;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void accept(Rejects& rejects, int count) {
  for (int i = 0; i < count; ++i) rejects.count_accepted();
}

TEST(Rejects, TheFileHoldsInputLineReasonAndAnExcerptOfEach) {
  const TemporaryFolder directory;
  const std::string path = directory.file("rejects.tsv");
  Rejects rejects("in.csv", 1, path);
  rejects.add(7, "no time", "a\tb\nc\\d");
  rejects.add(9, "invalid UTF-8 in \"user\"", "caf\xE9");
  rejects.add(10, "lat \"91\" is outside ±90", std::string(500, 'x'));
  rejects.check();
  EXPECT_EQ(content(path),
            "in.csv\t7\tno time\ta\\tb\\nc\\\\d\n"
            "in.csv\t9\tinvalid UTF-8 in \"user\"\tcaf\\xe9\n"
            "in.csv\t10\tlat \"91\" is outside ±90\t" +
                std::string(200, 'x') + "\n");
}

TEST(Rejects, AFileThatCannotBeWrittenIsNamed) {
  try {
    Rejects rejects("in.csv", 1, "/nonexistent/rejects.tsv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/rejects.tsv"));
  }
}

TEST(Rejects, AFileWithoutRoomIsAWarningWithTheFirstWindow) {
  testing::internal::CaptureStderr();
  Rejects rejects("in.csv", 1, "/dev/full");
  rejects.begin_window(4);
  for (std::uint64_t line = 7; line < 10; ++line) rejects.add(line, "no time", "");
  rejects.begin_window(5);
  rejects.add(10, "no time", "");
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "meteor: warning: /dev/full cannot be written: No space left on device; lines from window 4 on are missing, "
      "and the run goes on\n");
  EXPECT_EQ(rejects.count(), 4u);
}

TEST(Rejects, TheEndIsQuietWhileTheFractionIsAllowed) {
  Rejects rejects("in.csv", 0.01);
  rejects.check();
  accept(rejects, 99);
  rejects.add(5, "no time", "");
  rejects.check();
}

TEST(Rejects, TooManyAtTheEndNameFileCountsAndTheFirstReason) {
  Rejects rejects("in.csv", 0.01);
  accept(rejects, 98);
  rejects.add(5, "no time in \"timestamp\"", "");
  rejects.add(6, "a quote is never closed", "");
  try {
    rejects.check();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.status(), ExitStatus::input_unusable);
    EXPECT_THAT(error.what(), HasSubstr("in.csv: 2 of 100 records were rejected"));
    EXPECT_THAT(error.what(), HasSubstr("line 5: no time in \"timestamp\""));
  }
}

TEST(Rejects, AWrongFileFailsAfterAThousandRecords) {
  Rejects rejects("in.csv", 0.01);
  accept(rejects, 100);
  for (int i = 0; i < 899; ++i) rejects.add(1, "no time", "");
  try {
    rejects.add(1, "no time", "");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("900 of 1000 records were rejected, so reading stopped early"));
  }
}

TEST(Rejects, AStreamWithManyButNotMostRejectedIsReadToItsEnd) {
  Rejects rejects("in.csv", 0.01);
  accept(rejects, 1000);
  for (int i = 0; i < 1000; ++i) rejects.add(1, "no time", "");
  EXPECT_THROW(rejects.check(), InputError);
}

TEST(Rejects, WhereNoneIsAllowedTheFirstFails) {
  Rejects rejects("in.csv", 0);
  accept(rejects, 10);
  EXPECT_THROW(rejects.add(1, "no time", ""), InputError);
}

}  // namespace
}  // namespace meteor
