#include "stream/followed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "support/error.h"
#include "support/hash.h"
#include "support/log.h"

namespace meteor {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;  // by which another content is known
constexpr std::size_t kTailBytes = std::size_t{1} << 12;  // by which it is known that nothing was rewritten

class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  bool is_open() const { return descriptor_ >= 0; }
  struct stat status() const {
    struct stat found {};
    ::fstat(descriptor_, &found);
    return found;
  }
  /// Less than `space` only at the end; negative when the operating system refuses.
  ssize_t read_at(off_t offset, std::span<char> space) const {
    std::size_t filled = 0;
    while (filled < space.size()) {
      const ssize_t count =
          ::pread(descriptor_, space.data() + filled, space.size() - filled, offset + static_cast<off_t>(filled));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return -1;
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(filled);
  }
  std::string bytes_at(off_t offset, std::size_t most) const {
    std::string bytes(most, '\0');
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read_at(offset, bytes))));
    return bytes;
  }

 private:
  int descriptor_;
};

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Of the first `length` bytes.
std::string hash_of(const OpenFile& file, off_t length) {
  Sha256 hash;
  for (off_t at = 0; at < length;) {
    const std::string block = file.bytes_at(at, static_cast<std::size_t>(std::min<off_t>(length - at, kHeadBytes)));
    if (block.empty()) break;
    hash.update(block.data(), block.size());
    at += static_cast<off_t>(block.size());
  }
  return hash.hex();
}

class FollowedFile final : public ByteSource {
 public:
  FollowedFile(const std::string& path, int descriptor, const SourceOptions& options)
      : ByteSource(path), file_(descriptor), options_(options) {}

  std::size_t read(std::span<char> space) override {
    while (!stopped()) {
      if (options_.stop && options_.stop()) {
        end_with_stop();
        break;
      }
      if (const std::size_t count = read_intact(space); count > 0) return count;
      if (OpenFile next = successor(); next.is_open()) {
        // What the old file received before the new one did is there by now.
        if (const std::size_t count = read_intact(space); count > 0) return count;
        if (!tail_.empty() && tail_.back() != '\n' && !std::exchange(line_ended_, true)) {
          space[0] = '\n';  // else the old file's last line would go on in the new one
          return 1;
        }
        begin(std::move(next));
        continue;
      }
      std::this_thread::sleep_for(options_.poll_interval);
    }
    return 0;
  }

 private:
  /// The next bytes of the file; none at its end, or where it no longer holds what was read. That is looked at after
  /// reading: what is still there then was there before.
  std::size_t read_intact(std::span<char> space) {
    const ssize_t count = file_.read_at(position_, space);
    if (count < 0) throw InputError(fmt::format("{}: cannot be read: {}", name(), std::strerror(errno)));
    rewritten_ = rewritten_ || !intact();
    if (count == 0 || rewritten_) return 0;
    position_ += count;
    take(space.first(static_cast<std::size_t>(count)));
    told_ = {};
    return static_cast<std::size_t>(count);
  }

  bool intact() const {
    if (file_.status().st_size < position_) return false;
    const auto length = std::min<std::size_t>(tail_.size(), static_cast<std::size_t>(position_));
    return file_.bytes_at(position_ - static_cast<off_t>(length), length) == tail_.substr(tail_.size() - length);
  }

  /// Keeps of what was read by what it is known again.
  void take(std::span<const char> bytes) {
    hash_.update(bytes.data(), bytes.size());
    head_.append(bytes.data(), std::min(bytes.size(), kHeadBytes - head_.size()));
    tail_.append(bytes.data(), bytes.size());
    if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  }

  /// The file that is read next, from its begin; none as long as there is nothing new in it.
  OpenFile successor() {
    OpenFile named(::open(name().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe would wait for a writer
    if (!named.is_open()) {
      tell("has been removed or renamed: waiting for a file of that name");
      return named;
    }
    if (!S_ISREG(named.status().st_mode)) {
      tell("has been replaced by something that is not a file: waiting for a file of that name");
      return OpenFile(-1);
    }
    const bool replaced = !same_file(named.status(), file_.status());
    if (!replaced && !rewritten_) return OpenFile(-1);
    tell(replaced ? "has been replaced by another file" : "has been rewritten");
    const off_t size = named.status().st_size;
    const std::string begin = named.bytes_at(0, head_.size());
    if (!head_.starts_with(begin)) return named;
    if (size < position_) return OpenFile(-1);  // a copy that is not yet complete, or nothing but a header
    if (hash_of(named, position_) != hash_.hex()) {
      throw InputError(
          fmt::format("{} has been rewritten: it begins as it did, but its first {} bytes are not those that were "
                      "read; what is new in it cannot be told",
                      name(), position_));
    }
    log_info("{} begins with what was read: reading goes on after it", name());
    file_ = std::move(named);
    rewritten_ = false;
    return OpenFile(-1);
  }

  void begin(OpenFile next) {
    log_info("{}: reading goes on at the begin of the new content, after {} bytes of the old", name(), position_);
    file_ = std::move(next);
    position_ = 0;
    hash_ = {};
    head_.clear();
    tail_.clear();
    rewritten_ = line_ended_ = false;
    told_ = {};
    begin_part();
  }

  /// Says it once, until reading gets on.
  void tell(std::string_view event) {
    if (std::exchange(told_, event) != event) log_warning("{} {}", name(), event);
  }

  OpenFile file_;
  SourceOptions options_;
  off_t position_ = 0;
  Sha256 hash_;
  std::string head_;
  std::string tail_;
  bool rewritten_ = false;
  bool line_ended_ = false;  // the last one of this file, which has no line break
  std::string_view told_;
};

}  // namespace

std::unique_ptr<ByteSource> follow_file(const std::string& path, int descriptor, const SourceOptions& options) {
  return std::make_unique<FollowedFile>(path, descriptor, options);
}

}  // namespace meteor
