#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "support/line_file.h"

namespace meteor {

/// Lines that a run writes beside its model, such as metrics. They are not worth the run: lines that cannot be written
/// are told in a warning with the window that they begin with, later windows are tried again, and the run goes on.
class SideFile {
 public:
  /// What a run that goes on has written before.
  struct Kept {
    std::uint64_t bytes = 0;
    std::uint64_t lines = 0;
  };
  /// The file is written anew but for what is kept; lines of it that are missing are told. Throws Error when the file
  /// cannot be opened.
  explicit SideFile(std::filesystem::path path, Kept kept = {0, 0});

  /// Appends a line of a window, whose numbers do not fall.
  void write(std::uint64_t window, std::string_view line);

  /// How many bytes the file has.
  std::uint64_t bytes() const { return file_.bytes(); }

  /// When nothing more comes: tells of lines at the end that are missing.
  void finish();

 private:
  struct Lost {
    std::uint64_t first;
    std::uint64_t last;  // window
  };

  std::filesystem::path path_;
  LineFile file_;
  std::optional<Lost> lost_;  // since the last line that was written
};

}  // namespace meteor
