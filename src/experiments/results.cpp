#include "experiments/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include "experiments/known_streams.h"
#include "support/error.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// A reason for which a file is no result.
[[noreturn]] void refuse(const std::string& reason) { throw InputError(reason); }

const ordered_json& member(const ordered_json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) refuse(fmt::format("it has no \"{}\"", key));
  return object[key];
}

std::string text(const ordered_json& object, const char* key) {
  const ordered_json& value = member(object, key);
  if (!value.is_string()) refuse(fmt::format("\"{}\" is no text", key));
  return value.get<std::string>();
}

double number(const ordered_json& object, const char* key) {
  const ordered_json& value = member(object, key);
  if (!value.is_number()) refuse(fmt::format("\"{}\" is no number", key));
  return value.get<double>();
}

std::uint64_t count(const ordered_json& object, const char* key) {
  const ordered_json& value = member(object, key);
  if (!value.is_number_unsigned()) refuse(fmt::format("\"{}\" is no whole number", key));
  return value.get<std::uint64_t>();
}

/// A share, from 0 to 1.
double share(double value, const char* key) {
  if (!(value >= 0 && value <= 1)) refuse(fmt::format("\"{}\" is {}, not from 0 to 1", key, value));
  return value;
}

const ordered_json& list(const ordered_json& object, const char* key) {
  const ordered_json& value = member(object, key);
  if (!value.is_array()) refuse(fmt::format("\"{}\" is no list", key));
  return value;
}

RunResult run_in(const ordered_json& object) {
  RunResult run{text(object, "stream"), text(object, "variant"), count(object, "seed"), object};
  for (const char* key : {"mrr", "recall@1", "recall@5", "mrr_rare"}) share(number(object, key), key);
  for (const char* key : {"model_bytes", "full_bytes", "records", "queries", "ranks", "shards"}) count(object, key);
  for (const char* key : {"bytes_per_new_unit", "records_per_second"}) number(object, key);
  if (!member(object, "settings").is_object()) refuse("\"settings\" is no object");
  return run;
}

Presence presence_in(const ordered_json& object) {
  Presence presence{text(object, "stream"), {}};
  for (const ordered_json& attribute : list(object, "attributes")) {
    AttributePresence& read = presence.attributes.emplace_back();
    read.name = text(attribute, "name");
    read.units = count(attribute, "units");
    for (const ordered_json& value : list(attribute, "windows")) {
      if (!value.is_number()) refuse("\"windows\" holds what is no number");
      read.shares.push_back(share(value.get<double>(), "windows"));
    }
  }
  return presence;
}

Drift drift_in(const ordered_json& object) {
  Drift drift{text(object, "stream"), {}};
  for (const ordered_json& window : list(object, "windows")) {
    const std::uint64_t all = window.contains("all_units") ? count(window, "all_units") : 0;
    drift.windows.push_back(
        {count(window, "window"), count(window, "units"), share(number(window, "changed"), "changed"), all});
  }
  return drift;
}

Sizes sizes_in(const ordered_json& object) {
  Sizes sizes{text(object, "stream"), {}};
  for (const ordered_json& cluster : list(object, "clusters")) {
    sizes.clusters.push_back({text(cluster, "attribute"), count(cluster, "units"), count(cluster, "basis_vectors")});
  }
  return sizes;
}

/// The JSON files directly in a folder, by name; none if there is no such folder.
std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".json" && !entry.is_directory()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

ordered_json json_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse("it cannot be read");
  try {
    return ordered_json::parse(in);
  } catch (const nlohmann::json::exception&) {
    refuse("it is no complete JSON");
  }
}

/// Adds what `read` makes of each file; what cannot be used is told.
template <class Result>
void read_all(const fs::path& folder, const fs::path& files, Result (*read)(const ordered_json&),
              std::vector<Result>& results, std::vector<UnreadableFile>& unreadable) {
  for (const fs::path& file : json_files(files)) {
    try {
      Result result = read(json_in(file));
      const bool known = std::any_of(results.begin(), results.end(), [&](const Result& other) {
        if constexpr (std::is_same_v<Result, RunResult>) {
          if (result.variant != other.variant || result.seed != other.seed) return false;
        }
        return result.stream == other.stream;
      });
      if (known) refuse("another file holds the same result");
      results.push_back(std::move(result));
    } catch (const InputError& reason) {
      unreadable.push_back({file.lexically_relative(folder).string(), reason.what()});
    }
  }
}

}  // namespace

std::optional<double> measure(const RunResult& run, std::string_view key) {
  if (key == "share" || key == "ms_per_record") {
    const bool bytes = key == "share";
    const auto above = bytes ? measure(run, "model_bytes") : std::optional(1000.0);
    const auto below = measure(run, bytes ? "full_bytes" : "records_per_second");
    return above && below && *below > 0 ? std::optional(*above / *below) : std::nullopt;
  }
  if (key == "mrr_rare" && measure(run, "queries_rare") == 0.0) return std::nullopt;  // nothing was asked
  if (key == "mrr_pooled") {
    const nlohmann::ordered_json::json_pointer place("/by_scoring/pooled/mrr");
    const bool told = run.object.contains(place) && run.object[place].is_number();
    return told ? std::optional(run.object[place].get<double>()) : std::nullopt;
  }
  const auto found = run.object.find(std::string(key));
  if (found == run.object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::vector<std::string> Results::streams() const {
  std::vector<std::string> names;
  for (const RunResult& run : runs) names.push_back(run.stream);
  sort_streams(names);
  return names;
}

std::vector<const RunResult*> Results::runs_of(std::string_view stream, std::string_view variant) const {
  std::vector<const RunResult*> found;
  for (const RunResult& run : runs) {
    if (run.stream == stream && run.variant == variant) found.push_back(&run);
  }
  return found;
}

std::optional<Spread> Results::spread(std::string_view stream, std::string_view variant, std::string_view key) const {
  std::vector<double> values;
  for (const RunResult* run : runs_of(stream, variant)) {
    if (const auto value = measure(*run, key)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(spread_of(values));
}

Results read_results(const fs::path& folder) {
  Results results;
  std::vector<fs::path> streams;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder / "runs", missing)) {
    if (entry.is_directory()) streams.push_back(entry.path());
  }
  std::sort(streams.begin(), streams.end());
  for (const fs::path& stream : streams) read_all(folder, stream, run_in, results.runs, results.unreadable);
  read_all(folder, folder / "presence", presence_in, results.presence, results.unreadable);
  read_all(folder, folder / "drift", drift_in, results.drift, results.unreadable);
  read_all(folder, folder / "sizes", sizes_in, results.sizes, results.unreadable);
  if (results.runs.empty() && results.presence.empty() && results.drift.empty() && results.sizes.empty()) {
    std::string reason = fmt::format("{} holds no result of meteor experiment", folder.string());
    if (!results.unreadable.empty()) {
      const UnreadableFile& first = results.unreadable.front();
      reason += fmt::format(": {} files cannot be used, of {} {}", results.unreadable.size(), first.path, first.reason);
    }
    throw InputError(reason);
  }
  return results;
}

}  // namespace meteor
