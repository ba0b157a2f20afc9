#include "experiments/child_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "support/error.h"
#include "support/log.h"

namespace meteor {
namespace {

constexpr std::chrono::seconds kGrace{10};  // between SIGTERM and SIGKILL; mpirun takes a second or two

std::string fault_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("status {}", WEXITSTATUS(status));
}

bool redirect(const char* path, int flags, int descriptor) {
  const int opened = open(path, flags | O_CLOEXEC, 0666);
  return opened >= 0 && dup2(opened, descriptor) >= 0;
}

}  // namespace

ChildProcesses::ChildProcesses() : awaited_(), before_() {
  signal(SIGCHLD, SIG_DFL);  // whoever started us may have ignored it, and then nobody could be waited for
  sigemptyset(&awaited_);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&awaited_, number);
  sigprocmask(SIG_BLOCK, &awaited_, &before_);
}

ChildProcesses::~ChildProcesses() {
  for (const pid_t child : running_) kill(child, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kGrace;
  const timespec pause{0, 100'000'000};
  while (!running_.empty()) {
    if (take_ended()) continue;
    if (sigtimedwait(&awaited_, nullptr, &pause) == SIGINT || std::chrono::steady_clock::now() > end) {
      for (const pid_t child : running_) kill(-child, SIGKILL);
    }
  }
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

pid_t ChildProcesses::start(const std::filesystem::path& log, const std::function<int()>& body) {
  std::fflush(nullptr);  // or the child would write it again
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    throw Error(ExitStatus::failed, fmt::format("cannot start a process: {}", std::generic_category().message(errno)));
  }
  if (child > 0) {
    running_.push_back(child);
    return child;
  }
  setpgid(0, 0);  // a Ctrl-C reaches it through us only
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);  // ours alone, and exec would keep them ignored
  if (getppid() != parent) _exit(1);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  const bool redirected = redirect(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO) &&
                          redirect("/dev/null", O_WRONLY, STDOUT_FILENO) &&
                          redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  _exit(redirected ? body() : 1);
}

std::optional<ChildProcesses::Ended> ChildProcesses::take_ended() {
  for (const pid_t child : running_) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) != child) continue;
    std::erase(running_, child);
    return Ended{child, fault_of(status)};
  }
  return std::nullopt;
}

std::optional<ChildProcesses::Ended> ChildProcesses::wait() {
  while (true) {
    const timespec at_once{};
    sigset_t stops = awaited_;
    sigdelset(&stops, SIGCHLD);
    if (sigtimedwait(&stops, nullptr, &at_once) > 0) return std::nullopt;
    if (auto ended = take_ended()) return ended;
    const int number = sigwaitinfo(&awaited_, nullptr);
    if (number == SIGINT || number == SIGTERM) return std::nullopt;
  }
}

int become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  log_error("{} cannot be started: {}", command[0], std::generic_category().message(errno));
  return 127;
}

}  // namespace meteor
