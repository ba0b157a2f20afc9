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

}  // namespace meteor
