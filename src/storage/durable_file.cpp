#include "storage/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "support/error.h"

namespace meteor {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  throw StorageError(fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(reason)));
}

/// Waits until a file or folder is on the disk. Failures are told in the name of `target`.
void sync_to_disk(const std::filesystem::path& path, const std::filesystem::path& target) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(target, errno);
  const int reason = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (reason != 0 && reason != EINVAL) fail(target, reason);  // EINVAL: the file system cannot sync this kind
}

struct RemovedAtEnd {
  std::filesystem::path path;
  ~RemovedAtEnd() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

void write_durably(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  // Tried first, because the system's own words about a folder are plainer than those of a library deep below.
  if (::access(folder.c_str(), W_OK) != 0) fail(path, errno);
  if (std::filesystem::is_directory(path)) fail(path, EISDIR);
  const RemovedAtEnd temporary{std::filesystem::path(path).concat(kUnfinishedSuffix)};
  try {
    write(temporary.path);
  } catch (const StorageError& fault) {
    throw StorageError(fmt::format("cannot write {}: {}", path.string(), fault.what()));
  }
  sync_to_disk(temporary.path, path);
  std::error_code reason;
  std::filesystem::rename(temporary.path, path, reason);
  if (reason) fail(path, reason.value());
  sync_to_disk(folder, path);
}

}  // namespace meteor
