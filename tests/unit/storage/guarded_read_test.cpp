#include "storage/guarded_read.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

#include "support/error.h"

namespace meteor {
namespace {

using testing::HasSubstr;

constexpr ReadingLimits kAmple{std::chrono::seconds(60), std::uint64_t{1} << 30};

std::string failure_of(const ReadingLimits& limits, const std::function<std::string()>& read) {
  try {
    guarded_read("some/file.h5", limits, read);
    return "none";
  } catch (const StorageError& error) {
    return error.what();
  }
}

TEST(GuardedRead, GivesWhatWasRead) {
  EXPECT_EQ(guarded_read("f", kAmple, [] { return std::string(); }), "");
  const std::string much(5'000'000, 'x');
  EXPECT_EQ(guarded_read("f", kAmple, [&] { return much; }), much);
}

TEST(GuardedRead, ThrowsWhatReadingThrew) {
  try {
    guarded_read("f", kAmple, []() -> std::string { throw UsageError("no such thing"); });
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
    EXPECT_STREQ(error.what(), "no such thing");
  }
  EXPECT_THROW(guarded_read("f", kAmple, []() -> std::string { throw std::runtime_error("odd"); }), Error);
}

TEST(GuardedRead, TellsOfACrashWithTheFile) {
  const auto crash = []() -> std::string {
    std::signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
    return "";
  };
  EXPECT_THAT(failure_of(kAmple, crash), HasSubstr("some/file.h5 is damaged, or made to mislead (reading it crashes"));
  EXPECT_THAT(failure_of(kAmple, []() -> std::string { _exit(3); }), HasSubstr("crashes, without a word"));
}

TEST(GuardedRead, EndsWhatTakesTooLong) {
  const auto endless = []() -> std::string {
    volatile int turns = 0;
    while (true) turns = turns + 1;
  };
  EXPECT_THAT(failure_of({std::chrono::seconds(1), std::uint64_t{1} << 30}, endless), HasSubstr("more time than"));
}

TEST(GuardedRead, RefusesMemoryBeyondTheLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers end the process where memory is refused";
#endif
  const auto greedy = [] { return std::string(std::vector<char>(std::size_t{3} << 30).size() > 0 ? "y" : "n"); };
  EXPECT_THAT(failure_of(kAmple, greedy), HasSubstr("more memory than"));
}

}  // namespace
}  // namespace meteor
