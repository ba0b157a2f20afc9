#include "storage/guarded_read.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "fixtures/temporary_folder.h"
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

[[noreturn]] std::string endless() {
  volatile int turns = 0;
  while (true) turns = turns + 1;
}

std::string greedy() { return std::vector<char>(std::size_t{3} << 30).empty() ? "n" : "y"; }

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
  EXPECT_THAT(failure_of({std::chrono::seconds(1), std::uint64_t{1} << 30}, endless), HasSubstr("more time than"));
}

TEST(GuardedRead, RefusesMemoryBeyondTheLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers end the process where memory is refused";
#endif
  EXPECT_THAT(failure_of(kAmple, greedy), HasSubstr("more memory than a file of its size can need"));
}

TEST(GuardedRead, AModestFileGetsLessThanTenSecondsAndHalfAGigabyte) {
  const TemporaryFolder folder;
  const auto limits_for = [&](std::uint64_t bytes) {
    const auto path = folder.write("f", "");
    std::filesystem::resize_file(path, bytes);
    return limits_of(path);
  };
  for (const std::uint64_t megabytes : {0U, 1U, 16U}) {
    const ReadingLimits limits = limits_for(megabytes << 20);
    EXPECT_LT(limits.cpu_time, std::chrono::seconds(10)) << megabytes;
    EXPECT_LT(limits.memory_bytes, 450'000'000U) << megabytes;  // beside what the program takes itself
  }
  // What a checkpoint needs of which nearly all is names of units that wait, and twice that.
  const std::uint64_t large = std::uint64_t{4} << 30;
  EXPECT_GE(limits_for(large).memory_bytes, 2 * 8 * large);
  EXPECT_GE(limits_for(large).cpu_time, std::chrono::seconds(2 * large / 16'000'000));
  EXPECT_EQ(limits_of(folder.path() / "none").cpu_time, limits_for(0).cpu_time);
}

/// What `read` gives, or the failure, in a process that has lowered a limit of its own for good.
std::string outcome_within(__rlimit_resource resource, const rlimit& own, const std::function<std::string()>& read) {
  return guarded_read("f", {std::chrono::seconds(600), std::uint64_t{8} << 30}, [&] {
    EXPECT_EQ(setrlimit(resource, &own), 0);
    return read();
  });
}

TEST(GuardedRead, NeverRaisesALimitThatIsLowerAlready) {
  const auto limits_inside = [](__rlimit_resource resource) {
    return guarded_read("f", kAmple, [&] {
      rlimit limits{};
      getrlimit(resource, &limits);
      return fmt::format("{} {}", limits.rlim_cur, limits.rlim_max);
    });
  };
  EXPECT_EQ(outcome_within(RLIMIT_CPU, {50, 55}, [&] { return limits_inside(RLIMIT_CPU); }), "50 55");
  EXPECT_EQ(outcome_within(RLIMIT_CPU, {50, 90}, [&] { return limits_inside(RLIMIT_CPU); }), "50 60");
  EXPECT_EQ(outcome_within(RLIMIT_CPU, {80, 90}, [&] { return limits_inside(RLIMIT_CPU); }), "60 60");
}

TEST(GuardedRead, ALowLimitOfTheProcessIsNotBlamedOnTheFile) {
  EXPECT_EQ(outcome_within(RLIMIT_CPU, {1, 1}, [&] { return failure_of(kAmple, endless); }),
            "cannot read some/file.h5: it takes more time than this process may use (ulimit -t)");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit addresses{std::uint64_t{1} << 30, std::uint64_t{1} << 30};
  const ReadingLimits much{std::chrono::seconds(60), std::uint64_t{4} << 30};
  EXPECT_EQ(outcome_within(RLIMIT_AS, addresses, [&] { return failure_of(much, greedy); }),
            "cannot read some/file.h5: it takes more memory than this process may use (ulimit -v)");
#endif
}

}  // namespace
}  // namespace meteor
