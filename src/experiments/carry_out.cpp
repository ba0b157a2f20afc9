#include "experiments/carry_out.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>

#include "experiments/child_processes.h"
#include "support/error.h"
#include "support/file_replacement.h"
#include "support/host_name.h"
#include "support/log.h"
#include "support/threads.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// A folder for results that are being made. Those of programs of this machine that are gone are removed.
class UnfinishedResults {
 public:
  explicit UnfinishedResults(const fs::path& results)
      : folder_(results / "unfinished" / fmt::format("{}-{}", host_name(), getpid())) {
    fs::create_directories(folder_.parent_path());
    for (const auto& entry : fs::directory_iterator(folder_.parent_path())) {
      if (is_abandoned(entry.path().filename().string())) remove(entry.path());
    }
    fs::create_directories(folder_);
  }
  ~UnfinishedResults() {
    remove(folder_);
    std::error_code still_used;
    fs::remove(folder_.parent_path(), still_used);
  }
  UnfinishedResults(const UnfinishedResults&) = delete;
  UnfinishedResults& operator=(const UnfinishedResults&) = delete;

  fs::path file(std::size_t number) const { return folder_ / fmt::format("{}.json", number); }

 private:
  static bool is_abandoned(const std::string& name) {
    const std::string prefix = host_name() + "-";
    if (!name.starts_with(prefix)) return false;
    pid_t process = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), process);
    return process == getpid() || (process > 0 && kill(process, 0) != 0 && errno == ESRCH);
  }
  static void remove(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  fs::path folder_;
};

/// mpirun also as root, where the user has not said otherwise, and with more ranks than cores.
void prepare_for_mpirun(std::uint32_t ranks) {
  const auto unless_set = [](const char* name) { setenv(name, "1", 0); };
  if (geteuid() == 0) {
    unless_set("OMPI_ALLOW_RUN_AS_ROOT");
    unless_set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
  }
  unless_set("OMPI_MCA_rmaps_base_oversubscribe");
  setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
  if (ranks > usable_cores()) unless_set("OMPI_MCA_mpi_yield_when_idle");
}

/// What a process does that makes a run; returns its status.
int make(const Run& run, const fs::path& written) {
  try {
    if (run.study) {
      FileReplacement file(written);
      file.stream() << run.study().dump();
      file.commit();
      return 0;
    }
    if (run.ranks > 0) prepare_for_mpirun(run.ranks);
    std::vector<std::string> command = run.command;
    command.insert(command.end(), {"--json", written.string()});
    return become(command);
  } catch (const std::exception& fault) {
    log_error("{}", fault.what());
    return 1;
  }
}

/// The last words of a program: of meteor's own, if it said any, since mpirun adds its comments.
std::string last_words(const fs::path& log) {
  const std::string_view speaker = "meteor: ";
  std::ifstream file(log);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(speaker) || (!line.empty() && !last.starts_with(speaker))) last = line;
  }
  return last.starts_with(speaker) ? last.substr(speaker.size()) : last;
}

void tell_result(const Run& run, const nlohmann::ordered_json& result, RunCount count) {
  std::string quality;
  if (result.contains("mrr")) {
    quality = fmt::format("MRR {:.4f}, {:.1f} % of full, ", result["mrr"].get<double>(),
                          100 * result["model_bytes"].get<double>() / result["full_bytes"].get<double>());
  }
  log_info("[{}/{}] {}: {}{:.1f} s", count.done, count.total, run.label, quality, result["elapsed"].get<double>());
}

void tell_failure_of(const Run& run, const std::string& fault) {
  const std::string words = last_words(run.log);
  log_error("{} failed ({}){}{}; see {}", run.label, fault, words.empty() ? "" : ": ", words, run.log.string());
}

}  // namespace

std::size_t carry_out(std::span<const Run> runs, RunCount count, std::size_t jobs, const fs::path& results) {
  const UnfinishedResults unfinished(results);
  ChildProcesses processes;  // before the folder goes they have ended
  struct Begun {
    std::size_t number;
    Clock::time_point start;
  };
  std::map<pid_t, Begun> begun;
  std::size_t next = 0;
  std::size_t failed = 0;
  while (next < runs.size() || !begun.empty()) {
    while (next < runs.size() && (runs[next].ranks > 0 ? begun.empty() : begun.size() < jobs)) {
      const Run& run = runs[next];
      const fs::path written = unfinished.file(next);
      fs::create_directories(run.log.parent_path());
      check_target(run.log);
      begun[processes.start(run.log, [&] { return make(run, written); })] = {next++, Clock::now()};
    }
    const auto ended = processes.wait();
    if (!ended) {
      throw Error(ExitStatus::stopped, fmt::format("stopped by a signal: {} of {} runs are done, the same command goes "
                                                   "on with the others",
                                                   count.done, count.total));
    }
    const auto [number, start] = begun.at(ended->id);
    begun.erase(ended->id);
    const Run& run = runs[number];
    if (!ended->fault.empty()) {
      ++failed;
      tell_failure_of(run, ended->fault);
      continue;
    }
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    const auto result = put_in_place(run, unfinished.file(number), elapsed.count());
    ++count.done;
    tell_result(run, result, count);
    if (fs::file_size(run.log) == 0) fs::remove(run.log);
  }
  return failed;
}

}  // namespace meteor
