#include "support/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "support/error.h"

namespace meteor {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  throw Error(ExitStatus::failed,
              fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(reason)));
}

std::uint64_t size_of(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

struct Lines {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};
/// The whole lines within the first bytes of a file.
Lines whole_lines(const Descriptor& file, std::uint64_t bytes) {
  Lines lines;
  std::array<char, 1 << 14> piece{};
  for (std::uint64_t at = 0; at < bytes;) {
    const std::size_t wanted = std::min<std::uint64_t>(piece.size(), bytes - at);
    const ssize_t count = ::pread(file.number(), piece.data(), wanted, static_cast<off_t>(at));
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      if (piece[static_cast<std::size_t>(i)] != '\n') continue;
      ++lines.count;
      lines.bytes = at + static_cast<std::uint64_t>(i) + 1;
    }
    at += static_cast<std::uint64_t>(count);
  }
  return lines;
}

}  // namespace

void LineFile::open(const std::filesystem::path& path) {
  const FileTarget target = find_target(path);
  // Read as well, to see what is kept; a FIFO that appears in the last moment must not be waited for.
  const int mode = (target.device ? O_WRONLY : O_RDWR | O_CREAT) | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file_ = Descriptor(target.descriptor ? ::fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0)
                                       : ::open(target.path.c_str(), mode, 0666));
  if (!file_) fail(path, errno);
  struct stat status {};
  regular_ = target.replaceable() && ::fstat(file_.number(), &status) == 0 && S_ISREG(status.st_mode);
  if (target.replaceable() && !regular_) fail(path, EEXIST);
}

LineFile::LineFile(const std::filesystem::path& path) {
  open(path);
  if (!regular_) return;
  bytes_ = size_of(file_);
  char last = '\n';
  if (bytes_ > 0 && ::pread(file_.number(), &last, 1, static_cast<off_t>(bytes_ - 1)) != 1) fail(path, errno);
  broken_line_ = last != '\n';
}

LineFile::LineFile(const std::filesystem::path& path, std::uint64_t kept_bytes) {
  open(path);
  if (!regular_) return;
  const Lines kept = whole_lines(file_, std::min(kept_bytes, size_of(file_)));
  if (::ftruncate(file_.number(), static_cast<off_t>(kept.bytes)) != 0) fail(path, errno);
  bytes_ = kept.bytes;
  kept_lines_ = kept.count;
}

int LineFile::append(std::string_view line) {
  const std::string text = (broken_line_ ? "\n" : "") + std::string(line);
  const std::uint64_t before = regular_ ? size_of(file_) : 0;  // others may append to the same log
  const std::size_t written = write_all(file_.number(), text);
  if (written == text.size()) {
    bytes_ = before + text.size();
    broken_line_ = false;
    return 0;
  }
  const int reason = errno;
  if (regular_ && written > 0 && size_of(file_) == before + written) {
    broken_line_ = ::ftruncate(file_.number(), static_cast<off_t>(before)) != 0 || broken_line_;
  }
  return reason;
}

}  // namespace meteor
