#pragma once

#include <cstddef>
#include <filesystem>

namespace meteor {

/// How many bytes of a file its seal takes: the smallest user block that HDF5 allows.
constexpr std::size_t kSealBytes = 512;

/// Writes the seal into the first bytes of a file, which hold nothing yet: a SHA-256 of all the others. With it each
/// changed, missing or added byte is noticed, also where HDF5 would not look. Throws StorageError.
void seal_file(const std::filesystem::path& path);

/// Throws StorageError that names the file and what to do when it is missing, not readable, without a seal, or not what
/// was sealed. It reads bytes and takes them for nothing: what it lets pass is damaged only if somebody sealed it
/// again.
void check_seal(const std::filesystem::path& path);

}  // namespace meteor
