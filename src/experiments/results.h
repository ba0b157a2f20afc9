#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/spread.h"

namespace meteor {

/// One run of `evaluate` as `experiment` keeps it.
struct RunResult {
  std::string stream;
  std::string variant;
  std::uint64_t seed = 0;
  nlohmann::ordered_json object;  ///< all that the file says
};

/// A figure of a run by its key in docs/metrics.md, or one that follows from them: "share" (model_bytes over
/// full_bytes), "ms_per_record" (1000 over records_per_second). Nothing where the run does not tell.
std::optional<double> measure(const RunResult& run, std::string_view key);

/// Of all units of an attribute, the share that appears in each window.
struct AttributePresence {
  std::string name;
  std::uint64_t units = 0;
  std::vector<double> shares;
};
struct Presence {
  std::string stream;
  std::vector<AttributePresence> attributes;
};

struct DriftWindow {
  std::uint64_t window = 0;
  std::uint64_t units = 0;      ///< that the window touched
  double changed = 0;           ///< the share of them that would change their cluster
  std::uint64_t all_units = 0;  ///< that have a cluster; 0 where that is not told
};
struct Drift {
  std::string stream;
  std::vector<DriftWindow> windows;
};

struct ClusterSize {
  std::string attribute;
  std::uint64_t units = 0;
  std::uint64_t basis_vectors = 0;
};
struct Sizes {
  std::string stream;
  std::vector<ClusterSize> clusters;
};

struct UnreadableFile {
  std::string path;  ///< from the folder of the results
  std::string reason;
};

/// All that a folder of results holds.
struct Results {
  std::vector<RunResult> runs;
  std::vector<Presence> presence;
  std::vector<Drift> drift;
  std::vector<Sizes> sizes;
  std::vector<UnreadableFile> unreadable;

  /// Streams that have runs: those with a published name first, others by name.
  std::vector<std::string> streams() const;
  std::vector<const RunResult*> runs_of(std::string_view stream, std::string_view variant) const;
  /// Over the seeds of a variant on a stream; nothing where none tells.
  std::optional<Spread> spread(std::string_view stream, std::string_view variant, std::string_view key) const;
};

/// Reads runs/STREAM/*.json, presence/*.json, drift/*.json and sizes/*.json. A file that is no such result is told in
/// `unreadable`. Throws InputError when there is no result at all.
Results read_results(const std::filesystem::path& folder);

}  // namespace meteor
