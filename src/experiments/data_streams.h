#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace meteor {

/// A file and what it holds: another hash is other data.
struct DataFile {
  std::string path;
  std::string sha256;
};

/// A stream that experiments are made on.
struct DataStream {
  std::string name;  ///< of the file, without ".csv" and the like
  DataFile file;
  std::string config;                  ///< the settings, a TOML file
  std::optional<DataFile> categories;  ///< of the units of the target: NAME.clusters.csv beside the stream
};

/// The streams that --data names, each as FILE or FILE=CONFIG; a plain FILE has `config`, empty if there is none.
/// Throws UsageError, or InputError where a file cannot be read.
std::vector<DataStream> find_streams(std::span<const std::string> data, const std::string& config);

}  // namespace meteor
