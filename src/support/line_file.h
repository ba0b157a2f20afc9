#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "support/descriptor.h"
#include "support/file_target.h"

namespace meteor {

/// A file that grows line by line: a line is in it whole or not at all, also when the disk is full. Open descriptors
/// and /dev/null are written to like a file.
class LineFile {
 public:
  /// Goes on at the end of what is there, after a line break. Throws Error as FileReplacement does.
  explicit LineFile(const std::filesystem::path& path);
  /// Keeps the lines within the first `kept_bytes`; what comes after them is dropped.
  LineFile(const std::filesystem::path& path, std::uint64_t kept_bytes);

  /// Appends a line, which ends with its line break. Returns 0, or why it could not be written, as errno.
  int append(std::string_view line);

  /// How long the file is, as far as this object wrote or kept it.
  std::uint64_t bytes() const { return bytes_; }
  /// How many lines were kept.
  std::uint64_t kept_lines() const { return kept_lines_; }
  /// Whether what it holds can be looked at: not that of pipes and devices.
  bool is_regular() const { return regular_; }

 private:
  void open(const std::filesystem::path& path);

  Descriptor file_;
  bool regular_ = false;
  std::uint64_t bytes_ = 0;
  std::uint64_t kept_lines_ = 0;
  bool broken_line_ = false;  // what is there does not end with a line break
};

}  // namespace meteor
