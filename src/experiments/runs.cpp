#include "experiments/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "config/load_settings.h"
#include "experiments/plan.h"
#include "experiments/studies.h"
#include "support/error.h"
#include "support/file_replacement.h"
#include "support/log.h"
#include "support/threads.h"
#include "systems/systems.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

using Study = ordered_json (*)(const std::string& input, const Settings& configured);
Study study_of(const std::string& experiment) {
  if (experiment == "presence") return study_presence;
  if (experiment == "drift") return study_drift;
  return study_sizes;
}

void add_set(std::vector<std::string>& command, std::span<const std::string> overrides) {
  for (const std::string& override : overrides) command.insert(command.end(), {"--set", override});
}

ordered_json data_json(const DataStream& stream, bool categories) {
  ordered_json data = {{"file", stream.file.path}, {"sha256", stream.file.sha256}};
  if (categories) data["categories_sha256"] = stream.categories->sha256;
  return data;
}

/// The overrides that give the target's units the stream's categories.
std::vector<std::string> category_overrides(const DataStream& stream, const Settings& settings) {
  const auto target = std::find_if(settings.attributes.begin(), settings.attributes.end(),
                                   [](const AttributeSettings& attribute) { return attribute.target; });
  return {fmt::format("attribute.{}.clusters=explicit", target->name),
          fmt::format("attribute.{}.categories={}", target->name, fs::absolute(stream.categories->path).string())};
}

fs::path log_file(const RunRequest& request, const DataStream& stream, const std::string& name) {
  return request.results / "logs" / fmt::format("{}.{}.log", stream.name, name);
}

Run variant_run(const RunRequest& request, const DataStream& stream, const Variant& variant, std::uint64_t seed) {
  std::vector<std::string> overrides = request.overrides;
  overrides.insert(overrides.end(), variant.overrides.begin(), variant.overrides.end());
  overrides.insert(overrides.end(), {fmt::format("learning.seed={}", seed), "parallel.threads=1"});
  if (variant.categories) {
    const auto more = category_overrides(stream, load_settings(stream.config, overrides));
    overrides.insert(overrides.end(), more.begin(), more.end());
  }
  Run run;
  run.label = fmt::format("{} {} seed {}", stream.name, variant.name, seed);
  run.result = request.results / "runs" / stream.name / result_file_name(variant.name, seed);
  run.log = log_file(request, stream, run.result.stem().string());
  run.ranks = variant.ranks;
  if (variant.ranks > 0) run.command = {request.mpirun, "-n", std::to_string(variant.ranks)};
  run.command.insert(run.command.end(), {request.program, "evaluate", "--quiet", "--config", stream.config, "--input",
                                         stream.file.path, "--method", variant.method});
  add_set(run.command, overrides);
  run.heading = {{"stream", stream.name},
                 {"variant", variant.name},
                 {"seed", seed},
                 {"overrides", overrides},
                 {"ranks", variant.ranks},
                 {"cores", usable_cores()},
                 {"data", data_json(stream, variant.categories)}};
  run.settings = settings_json(system_of(variant.method, load_settings(stream.config, overrides)).settings);
  return run;
}

Run study_run(const RunRequest& request, const DataStream& stream, const std::string& experiment) {
  Run run;
  run.label = fmt::format("{} {}", stream.name, experiment);
  run.result = request.results / experiment / (stream.name + ".json");
  run.log = log_file(request, stream, experiment);
  run.command = {request.program, "experiment", experiment, "--data", stream.file.path + "=" + stream.config};
  add_set(run.command, request.overrides);
  run.command.insert(run.command.end(), {"--results", request.results.string()});
  const Settings settings = load_settings(stream.config, request.overrides);
  run.study = [study = study_of(experiment), path = stream.file.path, settings] { return study(path, settings); };
  run.settings = settings_json(settings);
  run.heading = {{"stream", stream.name},
                 {"seed", settings.learning.seed},
                 {"data", data_json(stream, false)},
                 {"settings", run.settings}};
  return run;
}

/// Settings that change nothing but how a result is made; categories are told by their content.
std::vector<std::string> harmless(const nlohmann::json& settings) {
  std::vector<std::string> keys = {"/parallel/threads", "/parallel/patience"};
  for (const auto& [key, value] : settings["checkpoint"].items()) keys.push_back("/checkpoint/" + key);
  for (std::size_t a = 0; a < settings["attribute"].size(); ++a) {
    keys.push_back(fmt::format("/attribute/{}/categories", a));
  }
  return keys;
}

void check_same(const Run& run, const nlohmann::json& found) {
  const auto refuse = [&](const std::string& reason) {
    throw UsageError(
        fmt::format("{} was made {}; use another --results, or remove what is there", run.result.string(), reason));
  };
  const auto hash = [](const nlohmann::json& data, const char* key) { return data.value(key, ""); };
  for (const char* key : {"sha256", "categories_sha256"}) {
    const nlohmann::json data = run.heading["data"];
    if (hash(found["data"], key) != hash(data, key)) {
      refuse(fmt::format("from {}{} before it changed", data["file"].get<std::string>(),
                         std::string_view(key) == "sha256" ? "" : "'s categories"));
    }
  }
  const auto differing = setting_differences(found["settings"], run.settings, harmless(run.settings));
  if (!differing.empty()) refuse(fmt::format("with other settings: {}", fmt::join(differing, "; ")));
}

}  // namespace

std::vector<Run> list_runs(const RunRequest& request, std::span<const DataStream> streams) {
  std::vector<Run> runs;
  std::set<fs::path> listed;
  const auto add = [&](Run run) {
    if (listed.insert(run.result).second) runs.push_back(std::move(run));
  };
  for (std::uint64_t seed = 1; seed <= request.seeds; ++seed) {
    for (const DataStream& stream : streams) {
      for (const Experiment& experiment : experiments()) {
        const auto& names = request.experiments;
        if (std::find(names.begin(), names.end(), experiment.name) == names.end()) continue;
        const auto& variants = experiment.variants;
        const bool categories =
            std::any_of(variants.begin(), variants.end(), [](const Variant& variant) { return variant.categories; });
        if (categories && !stream.categories) {
          if (seed == 1) {
            log_info("{} has no categories, {}.clusters.csv beside it: left out of {}", stream.name, stream.name,
                     experiment.name);
          }
          continue;
        }
        if (variants.empty() && seed == 1) add(study_run(request, stream, experiment.name));
        for (const Variant& variant : variants) add(variant_run(request, stream, variant, seed));
      }
    }
  }
  std::stable_partition(runs.begin(), runs.end(), [](const Run& run) { return run.ranks == 0; });
  return runs;
}

bool is_done(const Run& run) {
  std::ifstream file(run.result);
  if (!file) return false;
  const nlohmann::json found = nlohmann::json::parse(file, nullptr, false);
  if (!found.is_object() || !found.contains("settings") || !found.contains("data")) {
    log_warning("{} is not a whole result: it is made again", run.result.string());
    return false;
  }
  check_same(run, found);
  return true;
}

ordered_json put_in_place(const Run& run, const fs::path& written, double elapsed) {
  ordered_json result = run.heading;
  result["elapsed"] = elapsed;
  std::ifstream file(written);
  const ordered_json made = ordered_json::parse(file);
  for (const auto& [key, value] : made.items()) {
    if (!result.contains(key)) result[key] = value;
  }
  fs::create_directories(run.result.parent_path());
  FileReplacement complete(run.result);
  complete.stream() << result.dump(2) << '\n';
  complete.commit();
  fs::remove(written);
  return result;
}

}  // namespace meteor
