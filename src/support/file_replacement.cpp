#include "support/file_replacement.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "support/error.h"
#include "support/hash.h"
#include "support/host_name.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongName = 120;  // with all that is added, names stay within the 255 bytes of file systems

[[noreturn]] void fail(const fs::path& path, int reason) {
  throw Error(ExitStatus::failed,
              fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(reason)));
}

/// What the temporary names of a file begin with on this machine.
std::string temporary_stem(const fs::path& file) {
  std::string name = file.filename().string();
  if (name.size() > kLongName) {
    Sha256 hash;
    hash.update(name.data(), name.size());
    name = name.substr(0, kLongName - 16) + hash.hex().substr(0, 16);
  }
  return fmt::format("{}.{}-", name, host_name());
}

/// Whether a path names the file that is open, and not another one or a link to it.
bool names(const fs::path& path, const Descriptor& open) {
  struct stat named {};
  struct stat opened {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(open.number(), &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

/// Removes what processes left that died while they wrote this file. A living one holds a lock, which the operating
/// system frees with it; where locks are not supported, nothing is removed. Only files of this machine are looked at,
/// because some network file systems keep locks to a machine.
void remove_abandoned(const fs::path& file) {
  const std::string stem = temporary_stem(file);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(stem) || !name.ends_with(kUnfinishedSuffix)) continue;
    const Descriptor found(::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!found || ::flock(found.number(), LOCK_EX | LOCK_NB) != 0) continue;
    if (names(entry.path(), found)) fs::remove(entry.path(), ignored);
  }
}

/// Waits until a file or folder is on the disk; returns 0 or why not.
int sync_to_disk(const Descriptor& file) {
  if (!file) return errno;
  const bool synced = ::fsync(file.number()) == 0 || errno == EINVAL;  // EINVAL: this kind cannot be synced
  return synced ? 0 : errno;
}

}  // namespace

FileReplacement::FileReplacement(fs::path path, Targets allowed)
    : path_(std::move(path)), target_(find_target(path_, allowed)) {
  if (target_.replaceable()) {
    remove_abandoned(target_.path);
    create_unfinished();
  } else if (target_.descriptor) {
    file_ = Descriptor(::fcntl(*target_.descriptor, F_DUPFD_CLOEXEC, 0));
  } else {
    file_ = Descriptor(::open(target_.path.c_str(), O_WRONLY | O_CLOEXEC));
  }
  if (!file_) fail(path_, errno);
  stream_.rdbuf(&buffer_.emplace(file_.number()));
}

void FileReplacement::create_unfinished() {
  static std::atomic<std::uint64_t> counter = 0;
  for (;;) {
    const fs::path name = target_.path.parent_path() / fmt::format("{}{}-{}{}", temporary_stem(target_.path), getpid(),
                                                                   counter++, kUnfinishedSuffix);
    file_ = Descriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_ && errno == EEXIST) continue;
    if (!file_) return;
    const bool taken = ::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (taken || !names(name, file_)) continue;  // another process took it for abandoned before it was locked
    temporary_ = name;
    return;
  }
}

FileReplacement::~FileReplacement() {
  if (temporary_.empty() || !names(temporary_, file_)) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void FileReplacement::commit() {
  stream_.flush();
  if (!stream_) fail(path_, buffer_->fault() != 0 ? buffer_->fault() : EIO);
  if (temporary_.empty()) return;
  if (const int reason = sync_to_disk(file_)) fail(path_, reason);
  if (!names(temporary_, file_)) fail(path_, ENOENT);
  const fs::file_type there = fs::symlink_status(target_.path).type();
  if (there != fs::file_type::not_found && there != fs::file_type::regular) check_target(target_.path, Targets::files);
  std::error_code reason;
  fs::rename(temporary_, target_.path, reason);
  if (reason) fail(path_, reason.value());
  temporary_.clear();
  const fs::path folder = target_.path.parent_path();
  if (const int fault = sync_to_disk(Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)))) {
    fail(path_, fault);
  }
}

}  // namespace meteor
