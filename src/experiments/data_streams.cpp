#include "experiments/data_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/error.h"
#include "support/hash.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

DataFile read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256 hash;
  hash.update(file);
  if (!file.eof()) throw InputError(fmt::format("{} cannot be read", path.string()));
  return {path.string(), hash.hex()};
}

fs::path without_compression(const fs::path& path) {
  const bool compressed = path.extension() == ".gz" || path.extension() == ".zst";
  return compressed ? path.parent_path() / path.stem() : path;
}

}  // namespace

std::vector<DataStream> find_streams(std::span<const std::string> data, const std::string& config) {
  std::vector<DataStream> streams;
  for (const std::string& text : data) {
    const std::size_t sign = fs::exists(text) ? std::string::npos : text.rfind('=');
    DataStream stream;
    stream.config = sign == std::string::npos ? config : text.substr(sign + 1);
    const fs::path path = text.substr(0, sign);
    if (stream.config.empty()) {
      throw UsageError(fmt::format("--data {}: there is no configuration; use --data {}=CONFIG or --config CONFIG",
                                   text, path.string()));
    }
    stream.name = without_compression(path).stem().string();
    const auto same = [&](const DataStream& other) { return other.name == stream.name; };
    if (std::any_of(streams.begin(), streams.end(), same)) {
      throw UsageError(fmt::format("two streams are called {}: rename one of the files", stream.name));
    }
    stream.file = read_file(path);
    const fs::path categories = path.parent_path() / (stream.name + ".clusters.csv");
    if (fs::exists(categories)) stream.categories = read_file(categories);
    streams.push_back(std::move(stream));
  }
  return streams;
}

}  // namespace meteor
