#pragma once

#include <filesystem>
#include <fstream>

namespace meteor {

/// Writes a file under a temporary name beside it and gives it its own name only when complete: an interrupted program
/// leaves the old file, or none, never half of one. A path that names a device or pipe is written directly.
class FileReplacement {
 public:
  /// Throws Error when the file cannot be created.
  explicit FileReplacement(std::filesystem::path path);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  /// Discards what was written unless it was committed.
  ~FileReplacement();

  std::ostream& stream() { return stream_; }

  /// Throws Error when anything could not be written, for instance because the disk is full.
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  std::ofstream stream_;
  bool committed_ = false;
};

/// Opens a file to write behind its first `kept_bytes`; what it holds after them is dropped. A file that is shorter, or
/// missing, is continued where it ends. The stream says whether it went well.
void open_after(std::ofstream& stream, const std::filesystem::path& path, std::uint64_t kept_bytes);

}  // namespace meteor
