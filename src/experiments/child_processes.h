#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace meteor {

/// Processes that this one starts and waits for. None outlives it, however it ends. This process must have one thread.
/// While the object lives, SIGINT and SIGTERM are not obeyed at once but noticed by wait().
class ChildProcesses {
 public:
  ChildProcesses();
  /// Ends those that are left: by SIGTERM, and if that does not help by SIGKILL.
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;

  /// Runs `body` in a process of its own, which ends with the status that it returns. Its stderr goes to `log`, a new
  /// file, its stdout nowhere. Throws Error when it cannot be started.
  pid_t start(const std::filesystem::path& log, const std::function<int()>& body);

  struct Ended {
    pid_t id;
    std::string fault;  ///< "status 3", "signal 9"; empty if all went well
  };
  /// Waits until one has ended, which there must be; nothing if a signal asks this process to stop.
  std::optional<Ended> wait();

 private:
  std::optional<Ended> take_ended();

  sigset_t awaited_;
  sigset_t before_;
  std::vector<pid_t> running_;
};

/// Makes this process another program; returns, with a status, only when that fails.
int become(const std::vector<std::string>& command);

}  // namespace meteor
