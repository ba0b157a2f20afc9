#include "support/stop_signal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace meteor {
namespace {

// Each in a process of its own, because signals belong to the whole process.
[[noreturn]] void leave(bool as_expected) { std::_Exit(as_expected ? 0 : 1); }

TEST(StopSignal, TheFirstAsksToStop) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2}) {
    const auto one = [&] {
      watch_signals();
      const bool before = stop_asked();
      std::raise(signal);
      leave(!before && stop_asked());
    };
    EXPECT_EXIT(one(), testing::ExitedWithCode(0), "") << signal;
  }
}

TEST(StopSignal, TheSecondInterruptEndsAtOnce) {
  const auto two = [] {
    watch_signals();
    std::raise(SIGINT);
    std::raise(SIGINT);
    leave(false);
  };
  EXPECT_EXIT(two(), testing::KilledBySignal(SIGINT), "");
}

TEST(StopSignal, OthersMayComeOften) {
  const auto often = [] {
    watch_signals();
    for (int i = 0; i < 3; ++i) std::raise(SIGTERM);
    leave(stop_asked());
  };
  EXPECT_EXIT(often(), testing::ExitedWithCode(0), "");
}

TEST(StopSignal, ACheckpointIsAskedForOnce) {
  const auto ask = [] {
    watch_signals();
    std::raise(SIGUSR1);
    const bool first = take_checkpoint_request(), second = take_checkpoint_request();
    leave(first && !second && !stop_asked());
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0), "");
}

TEST(StopSignal, OneThatCameBeforeTheReleaseIsNotLost) {
  const auto release = [] {
    watch_signals();
    std::raise(SIGTERM);
    release_signals();
    leave(false);
  };
  EXPECT_EXIT(release(), testing::KilledBySignal(SIGTERM), "");
}

TEST(StopSignal, WritingToNobodyFailsInsteadOfEndingTheProgram) {
  const auto write_to_nobody = [] {
    int ends[2];
    if (::pipe(ends) != 0) leave(false);
    ::close(ends[0]);
    outlive_readers();
    leave(::write(ends[1], "x", 1) < 0);
  };
  EXPECT_EXIT(write_to_nobody(), testing::ExitedWithCode(0), "");
}

TEST(StopSignal, AFileThatOutgrowsItsLimitFailsInsteadOfEndingTheProgram) {
  const auto outgrow = [] {
    const rlimit nothing{0, 0};
    char path[] = "/tmp/meteor-limit-XXXXXX";
    const int file = ::mkstemp(path);
    ::unlink(path);
    outlive_file_limits();
    leave(file >= 0 && ::setrlimit(RLIMIT_FSIZE, &nothing) == 0 && ::write(file, "x", 1) < 0);
  };
  EXPECT_EXIT(outgrow(), testing::ExitedWithCode(0), "");
}

TEST(StopSignal, NoFileTakesTheNumberOfAClosedStandardStream) {
  const auto open_after_closing = [] {
    for (const int descriptor : {0, 1, 2}) ::close(descriptor);
    fill_standard_streams();
    leave(::open("/dev/null", O_RDONLY) > 2);
  };
  EXPECT_EXIT(open_after_closing(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace meteor
