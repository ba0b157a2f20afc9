#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace meteor {

/// What the temporary name of a file that is being written ends with.
constexpr std::string_view kUnfinishedSuffix = ".partial";

/// Replaces a file so that it is complete or absent, whatever ends the program or the machine: `write` makes it under a
/// temporary name in the same folder; it reaches the disk, then takes the name, then the folder reaches the disk.
/// Throws StorageError, with the path before what `write` says, and removes the temporary file.
void write_durably(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write);

}  // namespace meteor
