#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace meteor {

/// What reading a file may take.
struct ReadingLimits {
  std::chrono::seconds cpu_time{0};
  std::uint64_t memory_bytes = 0;  ///< more than the process has already
};
/// Several times what an honest file of that size needs. Up to 16 MiB it is less than 10 s and 500 MB.
ReadingLimits limits_of(const std::filesystem::path& path);

/// Runs `read`, which reads the file, in a process of its own within limits, and returns what it returns. Errors that
/// it throws are thrown here. A file that crashes a library, or makes it work without end, gives a StorageError that
/// names the file: reading it is safe. Of what `read` changes nothing is seen here. Limits of this process that are
/// lower hold for that one, too. Only for a process with one thread.
std::string guarded_read(const std::filesystem::path& path, const ReadingLimits& limits,
                         const std::function<std::string()>& read);

}  // namespace meteor
