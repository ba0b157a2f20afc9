#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "experiments/data_streams.h"

namespace meteor {

/// One result that experiments need.
struct Run {
  std::string label;                              ///< "online_retail dim_reduct:100 seed 1"
  std::filesystem::path result;                   ///< the file that it ends in
  std::filesystem::path log;                      ///< what it says while it is made
  std::vector<std::string> command;               ///< that makes it; takes --json FILE, unless it is a study
  std::function<nlohmann::ordered_json()> study;  ///< makes it inside this program, if it is one
  std::uint32_t ranks = 0;                        ///< 0: one process; else mpirun starts as many
  nlohmann::ordered_json heading;                 ///< members that the result begins with
  nlohmann::json settings;                        ///< that it is made with
};

/// Which runs are wanted, and how they are made.
struct RunRequest {
  std::vector<std::string> experiments;  ///< names
  std::uint64_t seeds = 1;               ///< from 1 to here
  std::vector<std::string> overrides;    ///< as --set, for all
  std::filesystem::path results;
  std::string program;  ///< this one
  std::string mpirun;
};

/// Everything that the experiments need, each once, those on several ranks last. Throws UsageError where settings are
/// wrong. Streams without categories are left out, and told, where these are the experiment.
std::vector<Run> list_runs(const RunRequest& request, std::span<const DataStream> streams);

/// Whether the result is there. Throws UsageError if it was made from other data or with other settings.
bool is_done(const Run& run);

/// Completes what a run has written to `written` by its heading, and puts it in its place: from then on it is done.
/// Returns the result.
nlohmann::ordered_json put_in_place(const Run& run, const std::filesystem::path& written, double elapsed);

}  // namespace meteor
