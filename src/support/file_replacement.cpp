#include "support/file_replacement.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "support/error.h"

namespace meteor {
namespace {

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool replaceable = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  return replaceable ? std::filesystem::path(path).concat(".partial") : path;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::error_code& reason) {
  throw Error(ExitStatus::failed, fmt::format("cannot write {}: {}", path.string(), reason.message()));
}

}  // namespace

FileReplacement::FileReplacement(std::filesystem::path path)
    : path_(std::move(path)), temporary_(temporary_name(path_)), stream_(temporary_, std::ios::binary) {
  if (!stream_) fail(path_, {errno, std::generic_category()});
}

FileReplacement::~FileReplacement() {
  if (committed_ || temporary_ == path_) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void FileReplacement::commit() {
  errno = 0;
  stream_.close();
  if (!stream_) fail(path_, {errno != 0 ? errno : EIO, std::generic_category()});
  if (temporary_ != path_) {
    std::error_code reason;
    std::filesystem::rename(temporary_, path_, reason);
    if (reason) fail(path_, reason);
  }
  committed_ = true;
}

void open_after(std::ofstream& stream, const std::filesystem::path& path, std::uint64_t kept_bytes) {
  std::error_code missing;
  const std::uint64_t size = std::filesystem::file_size(path, missing);
  if (!missing && size > kept_bytes) std::filesystem::resize_file(path, kept_bytes, missing);
  stream.open(path, std::ios::binary | std::ios::app);
  stream.seekp(0, std::ios::end);
}

}  // namespace meteor
