#include "stream/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "stream/followed_file.h"
#include "support/error.h"

namespace meteor {
namespace {

/// A plain file, a pipe or a terminal.
class DescriptorSource final : public ByteSource {
 public:
  DescriptorSource(std::string name, int descriptor, const SourceOptions& options)
      : ByteSource(std::move(name)), descriptor_(descriptor), options_(options) {
    struct stat status {};
    sized_ = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  }
  ~DescriptorSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read(std::span<char> space) override {
    for (;;) {
      if (stopped()) return 0;
      if (!wait_for_bytes()) {
        end_with_stop();
        return 0;
      }
      const ssize_t count = ::read(descriptor_, space.data(), space.size());
      if (count > 0) {
        position_ += count;
        return static_cast<std::size_t>(count);
      }
      if (count < 0 && errno != EINTR && errno != EAGAIN) refuse("cannot be read");
      if (count == 0) {
        throw_if_shrunk();
        if (!options_.follow) return 0;  // a named pipe may get other writers
        if (stop_asked()) continue;
        std::this_thread::sleep_for(options_.poll_interval);
      }
    }
  }

 private:
  bool stop_asked() const { return options_.stop && options_.stop(); }

  /// A read from a pipe may wait for ever, so that the stop flag would go unseen: wait in steps instead.
  bool wait_for_bytes() const {
    pollfd waiting{descriptor_, POLLIN, 0};
    while (!stop_asked()) {
      const int ready = ::poll(&waiting, 1, static_cast<int>(options_.poll_interval.count()));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) refuse("cannot be waited for");
    }
    return false;
  }

  void throw_if_shrunk() const {
    struct stat status {};
    if (sized_ && ::fstat(descriptor_, &status) == 0 && status.st_size < position_)
      throw InputError(fmt::format("{}: the file became shorter while it was read: it has {} bytes now, {} were read",
                                   name(), status.st_size, position_));
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw InputError(fmt::format("{}: {}: {}", name(), what, std::strerror(errno)));
  }

  int descriptor_;
  SourceOptions options_;
  off_t position_ = 0;
  bool sized_ = false;  // files of the system's own (in /proc) have no size
};

}  // namespace

bool is_rereadable(const std::string& path) {
  struct stat status {};
  return path != "-" && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

std::unique_ptr<ByteSource> open_source(const std::string& path, const SourceOptions& options) {
  if (path == "-") {
    SourceOptions until_end = options;
    until_end.follow = false;  // a pipe ends when its writers are gone
    return std::make_unique<DescriptorSource>("standard input", STDIN_FILENO, until_end);
  }
  const bool gzip = path.ends_with(".gz");
  const bool zstd = path.ends_with(".zst");
  if (options.follow && (gzip || zstd))
    throw UsageError(fmt::format("{}: a compressed file cannot be followed; give the plain file", path));
  // A named pipe without a writer is waited for where a stop is noticed.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw InputError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  struct stat status {};
  if (options.follow && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    return follow_file(path, descriptor, options);
  }
  auto plain = std::make_unique<DescriptorSource>(path, descriptor, options);
  if (gzip) return decompress_gzip(std::move(plain));
  if (zstd) return decompress_zstd(std::move(plain));
  return plain;
}

}  // namespace meteor
