#include "storage/lock_file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include "support/error.h"
#include "support/host_name.h"
#include "support/log.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstWord = "host ";

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw StorageError(fmt::format("{}: {}", path.string(), reason));
}

std::string this_process() {
  return fmt::format("{}{}, process {}, since {:%Y-%m-%dT%H:%M:%SZ}\n", kFirstWord, host_name(), getpid(),
                     fmt::gmtime(std::time(nullptr)));
}

std::string content_of(const Descriptor& file) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(file.number(), text.data(), text.size() - 1, 0);
  std::string content(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

/// Opens the file, or makes it.
Descriptor open_lock(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
  if (!file && errno == ELOOP) refuse(path, "it is a symbolic link, and a lock is not looked for behind one");
  if (!file) refuse(path, std::generic_category().message(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink > 1) {
    refuse(path, "it is in the place of a lock, and is none");
  }
  return file;
}

/// Whether a path names the file that is open. If nothing has the name, `if_none`.
bool names(const fs::path& path, const Descriptor& file, bool if_none) {
  struct stat named {};
  struct stat opened {};
  if (::lstat(path.c_str(), &named) != 0) return if_none;
  return ::fstat(file.number(), &opened) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

}  // namespace

LockFile::LockFile(fs::path path, const std::string& what, AtEnd at_end) : path_(std::move(path)), at_end_(at_end) {
  do {  // until it is not one that its holder removed before it was locked here
    file_ = open_lock(path_);
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      throw StorageError(
          fmt::format("{} is in use by another run ({}): give each run a folder of its own", what, content_of(file_)));
    }
  } while (!names(path_, file_, false));
  left_ = content_of(file_);
  if (!left_.empty() && !left_.starts_with(kFirstWord)) refuse(path_, "it is in the place of a lock, and is none");
  const std::string text = this_process();
  if (::ftruncate(file_.number(), 0) != 0 || ::pwrite(file_.number(), text.data(), text.size(), 0) < 0) {
    log_warning("{}: cannot be written: {}", path_.string(), std::generic_category().message(errno));
  }
}

LockFile::~LockFile() {
  if (at_end_ == AtEnd::removed && names(path_, file_, false)) ::unlink(path_.c_str());
  [[maybe_unused]] const int ignored = ::ftruncate(file_.number(), 0);
}

bool LockFile::is_replaced() const { return !names(path_, file_, true); }

}  // namespace meteor
