#pragma once

#include <filesystem>
#include <optional>

namespace meteor {

/// What a file may be written to besides regular files.
enum class Targets {
  files,   ///< nothing else: of formats that are not written from front to back
  streams  ///< also descriptors that this process has open (/dev/stdout, /dev/fd/63) and /dev/null
};

/// Where a path leads that is to be written, symbolic links followed.
struct FileTarget {
  std::filesystem::path path;     ///< of the file itself, which is a regular one or not there yet; or of /dev/null
  std::optional<int> descriptor;  ///< that the path stands for, if it does

  /// Whether what is there may give way to another file.
  bool replaceable() const { return !descriptor && !device; }
  bool device = false;  ///< /dev/null, or /dev/full which behaves like a disk without room
};

/// Folders, devices, FIFOs and sockets are refused, and so is a path in a folder that is missing. As the kernel does
/// with fs.protected_symlinks, links that somebody else put into a folder for all (/tmp) are not followed. Throws Error
/// in one sentence with the path.
FileTarget find_target(const std::filesystem::path& path, Targets allowed = Targets::streams);

/// Looks at what is there, so that hours of work are not done for a file that cannot be written. Throws as find_target
/// does, also where this user may not write. An empty path is none.
void check_target(const std::filesystem::path& path, Targets allowed = Targets::streams);

}  // namespace meteor
