#include "storage/guarded_read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>

#include "support/error.h"

namespace meteor {
namespace {

// Models take twice their bytes and a second for 100 MB; the costliest, checkpoints of little but names that wait to be
// learnt, eight times their bytes and a second for 16 MB. What is read for a modest file stays below 500 MB and 10 s.
constexpr std::uint64_t kModestFile = std::uint64_t{16} << 20;
constexpr std::uint64_t kMemoryOfModestFile = std::uint64_t{384} << 20;
constexpr std::chrono::seconds kTimeOfModestFile{8};
constexpr std::uint64_t kMemoryPerByte = kMemoryOfModestFile / kModestFile;
constexpr std::uint64_t kBytesPerSecond = kModestFile / static_cast<std::uint64_t>(kTimeOfModestFile.count());

constexpr char kResult = 'r';  // the first byte that the child sends, before what it has to say; of an error its status
constexpr char kNoMemory = 'm';
constexpr char kFailure = 'f';

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw StorageError(
      fmt::format("cannot read {}: {}: {}", path.string(), what, std::generic_category().message(errno)));
}

/// What this process has mapped.
std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t seconds_of(const ReadingLimits& limits) { return static_cast<std::uint64_t>(limits.cpu_time.count()); }

std::uint64_t addresses_of(const ReadingLimits& limits) { return mapped_bytes() + limits.memory_bytes; }

rlimit limits_now(__rlimit_resource resource) {
  rlimit limits{};
  getrlimit(resource, &limits);
  return limits;
}

/// Lowers a limit: one that is lower already, which root could raise, is left as it is.
void limit(__rlimit_resource resource, std::uint64_t most) {
  const rlimit now = limits_now(resource);
  const rlimit limits{std::min<rlim_t>(now.rlim_cur, most), std::min<rlim_t>(now.rlim_max, most)};
  setrlimit(resource, &limits);
}

void send(int pipe, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::write(pipe, bytes.data() + sent, bytes.size() - sent);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

std::string outcome_of(const std::function<std::string()>& read) {
  try {
    return kResult + read();
  } catch (const Error& error) {
    return fmt::format("{}{}{}", kFailure, static_cast<char>(error.status()), error.what());
  } catch (const std::bad_alloc&) {
    return std::string(1, kNoMemory);
  } catch (const std::exception& error) {
    return fmt::format("{}{}{}", kFailure, static_cast<char>(ExitStatus::storage_unusable), error.what());
  }
}

[[noreturn]] void be_child(pid_t parent, int pipe, const ReadingLimits& limits,
                           const std::function<std::string()>& read) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds_of(limits));
  limit(RLIMIT_AS, addresses_of(limits));
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // a dying library may have last words
  ::dup2(nowhere, STDERR_FILENO);
  send(pipe, outcome_of(read));
  _exit(0);  // what was prepared for the end of this program is the parent's
}

std::string receive(int pipe) {
  std::string all;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return all;
    if (count > 0) all.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

ReadingLimits limits_of(const std::filesystem::path& path) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  const std::uint64_t bytes = none ? 0 : size;
  return {std::max(kTimeOfModestFile, std::chrono::seconds(bytes / kBytesPerSecond)),
          std::max(kMemoryOfModestFile, bytes * kMemoryPerByte)};
}

std::string guarded_read(const std::filesystem::path& path, const ReadingLimits& limits,
                         const std::function<std::string()>& read) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(path, "no pipe");
  const bool has_less_time = limits_now(RLIMIT_CPU).rlim_cur < seconds_of(limits);
  const bool has_less_memory = limits_now(RLIMIT_AS).rlim_cur < addresses_of(limits);
  std::fflush(nullptr);  // or the child would write it again
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) be_child(parent, ends[1], limits, read);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    fail(path, "no process");
  }
  const std::string outcome = receive(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !outcome.empty();
  if (ended && outcome.front() == kResult) return outcome.substr(1);
  if (ended && outcome.front() == kFailure) throw Error(static_cast<ExitStatus>(outcome.at(1)), outcome.substr(2));
  const bool too_long = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  const bool no_memory = ended && outcome.front() == kNoMemory;
  if ((too_long && has_less_time) || (no_memory && has_less_memory)) {
    throw StorageError(fmt::format("cannot read {}: it takes more {} than this process may use (ulimit -{})",
                                   path.string(), too_long ? "time" : "memory", too_long ? 't' : 'v'));
  }
  throw StorageError(fmt::format(
      "{} is damaged, or made to mislead (reading it {}): restore it from a copy or train again", path.string(),
      no_memory  ? "takes more memory than a file of its size can need"
      : too_long ? "takes more time than a file of its size can need"
                 : fmt::format("crashes, {}", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "without a word")));
}

}  // namespace meteor
