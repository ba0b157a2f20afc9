#include "support/file_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

#include "support/error.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as in the kernel

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw Error(ExitStatus::failed, fmt::format("cannot write {}: {}", path.string(), reason));
}
[[noreturn]] void refuse(const fs::path& path, int reason) { refuse(path, std::generic_category().message(reason)); }

/// The folder that a file is in, without links.
fs::path real_folder(const fs::path& file, const fs::path& named) {
  std::error_code reason;
  fs::path folder = fs::canonical(file.has_parent_path() ? file.parent_path() : ".", reason);
  if (reason) refuse(named, reason.value());
  return folder;
}

/// Which descriptor of this process a path stands for.
std::optional<int> descriptor_of(const fs::path& folder, const fs::path& name, const fs::path& named) {
  if (folder != fmt::format("/proc/{}/fd", getpid())) return std::nullopt;
  const std::string digits = name.string();
  int number = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const int mode = ::fcntl(number, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) refuse(named, "it is not open for writing");
  return number;
}

/// /dev/null and /dev/full: what is written there is nowhere kept, so nothing can be lost.
bool keeps_nothing(const struct stat& file) {
  return S_ISCHR(file.st_mode) && (file.st_rdev == makedev(1, 3) || file.st_rdev == makedev(1, 7));
}

/// Whether somebody else may have put a link into a folder for all, to mislead who writes there.
bool is_planted(const struct stat& link, const fs::path& folder) {
  struct stat around {};
  if (::stat(folder.c_str(), &around) != 0) return true;
  const bool for_all = (around.st_mode & S_ISVTX) != 0 && (around.st_mode & S_IWOTH) != 0;
  return for_all && link.st_uid != ::geteuid() && link.st_uid != around.st_uid;
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

FileTarget find_target(const fs::path& path, Targets allowed) {
  fs::path file = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    if (!file.has_filename()) refuse(path, EISDIR);
    const fs::path folder = real_folder(file, path);
    file = folder / file.filename();
    if (const auto descriptor = descriptor_of(folder, file.filename(), path)) {
      if (allowed == Targets::files) refuse(path, "its format needs a file of its own");
      return {.path = file, .descriptor = descriptor};
    }
    struct stat found {};
    if (::lstat(file.c_str(), &found) != 0) {
      if (errno != ENOENT) refuse(path, errno);
      return {.path = file, .descriptor = {}};
    }
    if (S_ISLNK(found.st_mode)) {
      if (is_planted(found, folder)) refuse(path, fmt::format("{} is a link of another user", file.string()));
      std::error_code reason;
      const fs::path target = fs::read_symlink(file, reason);
      if (reason) refuse(path, reason.value());
      file = folder / target;
      continue;
    }
    if (keeps_nothing(found) && allowed == Targets::streams) return {.path = file, .descriptor = {}, .device = true};
    if (!S_ISREG(found.st_mode)) refuse(path, fmt::format("it is {}, not a regular file", kind_of(found.st_mode)));
    return {.path = file, .descriptor = {}};
  }
  refuse(path, ELOOP);
}

void check_target(const fs::path& path, Targets allowed) {
  if (path.empty()) return;
  const FileTarget target = find_target(path, allowed);
  if (target.descriptor) return;
  const bool changed = allowed == Targets::streams && fs::exists(target.path);
  const fs::path needed = changed ? target.path : target.path.parent_path();
  if (::access(needed.c_str(), W_OK) != 0) refuse(path, errno);
}

}  // namespace meteor
