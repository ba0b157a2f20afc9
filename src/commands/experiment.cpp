#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "commands/command_line.h"
#include "commands/run_options.h"
#include "config/load_settings.h"
#include "engine/outline.h"
#include "experiments/carry_out.h"
#include "experiments/plan.h"
#include "experiments/runs.h"
#include "support/log.h"
#include "support/nearest_name.h"
#include "support/stop_signal.h"
#include "support/threads.h"
#include "systems/systems.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

struct ExperimentOptions {
  std::string name;
  std::vector<std::string> data;
  std::string results;
  std::uint64_t seeds = 1;
  std::size_t jobs = usable_cores();
  std::string share;
  std::string mpirun = "mpirun";
  bool dry_run = false;
};

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.push_back(experiment.name);
  return names;
}

std::vector<std::string> chosen_experiments(const std::string& name) {
  std::vector<std::string> names = experiment_names();
  if (name == "all") return names;
  if (std::find(names.begin(), names.end(), name) != names.end()) return {name};
  names.emplace_back("all");
  const auto meant = nearest_name(name, names);
  throw UsageError(fmt::format("there is no experiment {}{}; there are {}", name,
                               meant ? fmt::format(" (did you mean {}?)", *meant) : "", fmt::join(names, ", ")));
}

/// Which of how many parts of the runs are made.
struct Share {
  std::size_t part = 1;
  std::size_t parts = 1;
};
Share parse_share(const std::string& text) {
  Share share;
  if (text.empty()) return share;
  const char* const end = text.data() + text.size();
  const auto [slash, fault] = std::from_chars(text.data(), end, share.part);
  const bool cut = fault == std::errc() && slash != end && *slash == '/';
  const auto [rest, other_fault] = std::from_chars(cut ? slash + 1 : end, end, share.parts);
  if (!cut || other_fault != std::errc() || rest != end || share.part < 1 || share.part > share.parts) {
    throw UsageError(fmt::format("--share is {}: use K/N with K from 1 to N, as in 2/8", text));
  }
  return share;
}

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Everything that would make all runs of a stream fail is found before the first one starts.
void check_stream(const DataStream& stream, const std::vector<std::string>& overrides) {
  const System system{load_settings(stream.config, overrides)};
  check_evaluable(system, stream.file.path);
  plan_queries(stream.file.path, system.settings);
}

std::string shell_words(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`*?[]{}()<>|&;#~!%") == std::string::npos;
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return line;
}

/// Leaves out what needs mpirun if there is none; returns how much that is.
std::size_t leave_out_ranks(std::vector<Run>& runs, const std::string& mpirun) {
  const auto needs = [](const Run& run) { return run.ranks > 0; };
  if (std::none_of(runs.begin(), runs.end(), needs) || is_program(mpirun)) return 0;
  const std::size_t left_out = std::erase_if(runs, needs);
  log_error("{} runs of experiment parallel are left out: there is no program {}; --mpirun names another", left_out,
            mpirun);
  return left_out;
}

void experiment(const RunOptions& common, const ExperimentOptions& options) {
  outlive_readers();
  set_quiet(common.quiet);
  if (!common.log.empty()) open_log_file(common.log);
  RunRequest request{.experiments = chosen_experiments(options.name),
                     .seeds = options.seeds,
                     .overrides = common.overrides,
                     .results = options.results,
                     .program = fs::read_symlink("/proc/self/exe").string(),
                     .mpirun = options.mpirun};
  const Share share = parse_share(options.share);
  for (const std::string& override : common.overrides) {
    if (override.starts_with("learning.seed=")) throw UsageError("--set learning.seed: use --seeds instead");
  }
  const std::vector<DataStream> streams = find_streams(options.data, common.config);
  for (const DataStream& stream : streams) check_stream(stream, common.overrides);

  std::vector<Run> runs;
  std::vector<Run> listed = list_runs(request, streams);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (i % share.parts == share.part - 1) runs.push_back(std::move(listed[i]));
  }
  RunCount count{0, runs.size()};
  count.done = std::erase_if(runs, is_done);
  if (options.dry_run) {
    for (const Run& run : runs) fmt::print("{}: {}\n", run.label, shell_words(run.command));
    return;
  }
  if (count.done > 0) log_info("{} of {} runs are done already", count.done, count.total);
  const std::size_t left_out = leave_out_ranks(runs, options.mpirun);
  const std::size_t failed = left_out + carry_out(runs, count, options.jobs, options.results);
  if (failed > 0) {
    throw Error(ExitStatus::failed,
                fmt::format("{} of {} runs have no result; the same command tries them again", failed, count.total));
  }
}

std::string describe_experiments() {
  std::string lines;
  for (const Experiment& experiment : experiments()) {
    lines += fmt::format("  {:12} {}\n", experiment.name, experiment.title);
  }
  return lines + fmt::format("  {:12} {}\n", "all", "all of them");
}

}  // namespace

void add_experiment_command(CLI::App& program, Ranks& /*ranks*/) {
  CLI::App* command = program.add_subcommand("experiment", "Make the METEOR paper's experiments on your streams");
  command->footer(fmt::format(R"(
Runs meteor evaluate for every stream, variant and seed, and keeps each result, with its settings, in the folder of results. What is
there already is not made again: a command that was stopped goes on where it was.

Experiments:
{}
  meteor experiment retrieval --data baskets.csv=configs/shopping.toml checkins.csv=configs/cells.toml --results results --seeds 3)",
                              describe_experiments()));
  const auto common = add_run_options(*command);
  command->get_option("--config")->required(false)->description("The settings of streams that --data gives none");
  auto options = std::make_shared<ExperimentOptions>();
  command->add_option("name", options->name, "The experiment, as below")->required()->type_name("NAME");
  command->add_option("--data", options->data, "Streams, each a file (also .gz, .zst), with its settings after =")
      ->required()
      ->type_name("FILE[=CONFIG] ...");
  command->add_option("--results", options->results, "The folder of results")->required()->type_name("DIR");
  command->add_option("--seeds", options->seeds, "Every run with the seeds 1 to N")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_option("--jobs", options->jobs, "Runs at the same time, a thread each; default: one for each core")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command->add_option("--share", options->share, "Makes only the K-th of N parts of the runs, for jobs of a cluster")
      ->type_name("K/N");
  command->add_option("--mpirun", options->mpirun, "Starts the runs on several ranks")
      ->capture_default_str()
      ->type_name("PROGRAM");
  command->add_flag("--dry-run", options->dry_run, "Shows the runs that are still to be made, and their commands");
  command->callback([common, options] { experiment(*common, *options); });
}

}  // namespace meteor
