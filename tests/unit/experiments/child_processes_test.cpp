#include "experiments/child_processes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "fixtures/temporary_folder.h"

namespace meteor {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ChildProcesses, EndWithTheStatusOfTheirWork) {
  const TemporaryFolder folder;
  ChildProcesses processes;
  const pid_t good = processes.start(folder.file("log"), [] { return 0; });
  const auto first = processes.wait();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, good);
  EXPECT_EQ(first->fault, "");
  processes.start(folder.file("log"), [] { return 3; });
  EXPECT_EQ(processes.wait()->fault, "status 3");
  processes.start(folder.file("log"), [] { return raise(SIGKILL); });
  EXPECT_EQ(processes.wait()->fault, "signal 9");
}

TEST(ChildProcesses, WriteTheirMessagesToTheLog) {
  const TemporaryFolder folder;
  ChildProcesses processes;
  processes.start(folder.file("log"), [] {
    std::puts("nobody wants to know");
    return std::fputs("what went wrong\n", stderr) < 0 ? 1 : 0;
  });
  EXPECT_EQ(processes.wait()->fault, "");
  EXPECT_EQ(content(folder.path() / "log"), "what went wrong\n");
}

TEST(ChildProcesses, MayBeOtherPrograms) {
  const TemporaryFolder folder;
  ChildProcesses processes;
  processes.start(folder.file("log"), [] { return become({"sh", "-c", "echo \"$0\" >&2; exit 4", "two words"}); });
  EXPECT_EQ(processes.wait()->fault, "status 4");
  EXPECT_EQ(content(folder.path() / "log"), "two words\n");
  processes.start(folder.file("log"), [] { return become({"no-such-program"}); });
  EXPECT_EQ(processes.wait()->fault, "status 127");
  EXPECT_EQ(content(folder.path() / "log"), "meteor: no-such-program cannot be started: No such file or directory\n");
}

TEST(ChildProcesses, EndWithWhoeverStartedThem) {
  const TemporaryFolder folder;
  pid_t child = 0;
  {
    ChildProcesses processes;
    child = processes.start(folder.file("log"), [] { return pause(); });
  }
  EXPECT_EQ(kill(child, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcesses, ASignalEndsTheWaiting) {
  const TemporaryFolder folder;
  for (const int number : {SIGINT, SIGTERM}) {
    ChildProcesses processes;
    processes.start(folder.file("log"), [number] { return kill(getppid(), number) + pause(); });
    EXPECT_FALSE(processes.wait()) << number;
  }
}

}  // namespace
}  // namespace meteor
