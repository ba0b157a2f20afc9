#pragma once

#include <cstddef>
#include <filesystem>

namespace meteor {

/// How many bytes of a file its seal takes: the smallest user block that HDF5 allows.
constexpr std::size_t kSealBytes = 512;

/// Writes the seal into the first bytes of a file, which hold nothing yet: a SHA-256 of all the others. With it each
/// changed, missing or added byte is noticed, also where HDF5 would not look. Throws StorageError.
void seal_file(const std::filesystem::path& path);

/// Whether a file begins as one with a seal does, fitting or not.
bool has_seal(const std::filesystem::path& path);

/// Throws StorageError when a file is not what was sealed.
void check_seal(const std::filesystem::path& path);

}  // namespace meteor
