#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>

#include "support/descriptor.h"
#include "support/file_target.h"

namespace meteor {

/// What the temporary name of a file that is being written ends with.
constexpr std::string_view kUnfinishedSuffix = ".partial";

/// Writes a file so that it is complete or absent, whatever ends the program or the machine: all files that meteor
/// replaces are written by it. The content is made under a temporary name in the same folder, which no other process
/// uses; it reaches the disk, takes the file's name, and the folder reaches the disk. A symbolic link stays, and the
/// file that it leads to is replaced. What a killed process left unfinished of the same file is removed. Open
/// descriptors (/dev/stdout) and /dev/null are written directly.
class FileReplacement {
 public:
  /// Throws Error when the file cannot be created, or where something else than a file is in its place.
  explicit FileReplacement(std::filesystem::path path, Targets allowed = Targets::streams);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  /// Discards what was written unless it was committed.
  ~FileReplacement();

  std::ostream& stream() { return stream_; }

  /// The unfinished file, empty yet, for a library that opens files by name; only with Targets::files.
  const std::filesystem::path& unfinished() const { return temporary_; }

  /// Throws Error when anything could not be written, for instance because the disk is full.
  void commit();

 private:
  void create_unfinished();

  std::filesystem::path path_;  // as the user named it
  FileTarget target_;
  std::filesystem::path temporary_;  // empty where the target is written directly
  Descriptor file_;
  std::optional<DescriptorBuffer> buffer_;
  std::ostream stream_{nullptr};
};

}  // namespace meteor
