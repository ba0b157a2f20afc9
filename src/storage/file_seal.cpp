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

bool has_seal(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kSealBegin.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == kSealBegin;
}

void check_seal(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string seal(kSealBytes, '\0');
  file.read(seal.data(), kSealBytes);
  if (!file || seal != fitting_seal(file)) throw StorageError("its bytes are not those that were written");
}

}  // namespace meteor
