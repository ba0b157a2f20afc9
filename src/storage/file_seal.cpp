#include "storage/file_seal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "support/error.h"
#include "support/hash.h"

namespace meteor {
namespace {

constexpr std::string_view kSealBegin = "meteor: SHA-256 of all that follows these ";

/// The seal that fits the content of a file.
std::string fitting_seal(std::istream& file) {
  file.seekg(kSealBytes);
  Sha256 hash;
  hash.update(file);
  std::string seal = fmt::format("{}{} bytes: {}\n", kSealBegin, kSealBytes, hash.hex());
  seal.resize(kSealBytes);
  return seal;
}

std::ifstream open_file(const std::filesystem::path& path) {
  std::error_code reason;
  const auto status = std::filesystem::status(path, reason);
  if (!std::filesystem::exists(status)) throw StorageError(fmt::format("{} does not exist", path.string()));
  if (!std::filesystem::is_regular_file(status)) throw StorageError(fmt::format("{} is not a file", path.string()));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (file) return file;
  throw StorageError(fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(errno)));
}

/// Whether HDF5's signature is where it may be: at the beginning, or after a user block.
bool is_hdf5(std::istream& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  file.clear();
  std::string bytes(signature.size(), '\0');
  for (std::streamoff begin = 0; file; begin = std::max<std::streamoff>(2 * begin, kSealBytes)) {
    file.seekg(begin);
    if (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) && bytes == signature) return true;
  }
  return false;
}

}  // namespace

void seal_file(const std::filesystem::path& path) {
  errno = 0;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string seal = fitting_seal(file);
  const bool read = file.eof();
  file.clear();
  file.seekp(0);
  file.write(seal.data(), static_cast<std::streamsize>(seal.size()));
  file.close();
  if (!read || !file) throw StorageError(std::generic_category().message(errno != 0 ? errno : EIO));
}

void check_seal(const std::filesystem::path& path) {
  std::ifstream file = open_file(path);
  std::string seal(kSealBytes, '\0');
  file.read(seal.data(), kSealBytes);
  const auto refuse = [&](const char* why) {
    throw StorageError(fmt::format("{} {}: restore it from a copy or train again", path.string(), why));
  };
  if (!seal.starts_with(kSealBegin)) {
    refuse(is_hdf5(file) ? "is an HDF5 file, but not a model of meteor, or its first bytes are damaged"
                         : "is not an HDF5 file, or is damaged");
  }
  if (!file || seal != fitting_seal(file)) refuse("is damaged (its bytes are not those that were written)");
}

}  // namespace meteor
