#include "support/launched_job.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace meteor {
namespace {

std::optional<std::uint32_t> number_in_environment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.begin(), digits.end(), number);
  if (problem != std::errc() || end != digits.end()) return std::nullopt;
  return number;
}

std::string_view text_in_environment(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::string_view() : text;
}

/// How many processes srun started together with this one. SLURM_NTASKS alone does not tell: salloc and sbatch set it,
/// too. A batch script that was submitted by a step inherits the variables of that step, and then they contradict those
/// of its own job.
std::optional<std::uint32_t> tasks_of_slurm_step() {
  const bool own = text_in_environment("SLURM_STEP_NUM_TASKS") == text_in_environment("SLURM_NTASKS") &&
                   text_in_environment("SLURM_STEP_TASKS_PER_NODE") == text_in_environment("SLURM_TASKS_PER_NODE");
  return own ? number_in_environment("SLURM_STEP_NUM_TASKS") : std::nullopt;
}

/// Launchers that Open MPI does not know, by the variables that they set.
struct ForeignLauncher {
  const char* size;
  const char* rank;
  const char* name;
};
constexpr ForeignLauncher foreign_launchers[] = {
    {"PMI_SIZE", "PMI_RANK", "the mpiexec of MPICH or Intel MPI"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "the mpirun_rsh of MVAPICH"},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK", "flux run"},
};

}  // namespace

std::optional<LaunchedJob> launched_job() {
  using enum LaunchedJob::Meeting;
  // Launchers start daemons on other nodes by srun, so that what Slurm tells is believed last.
  if (const auto size = number_in_environment("OMPI_COMM_WORLD_SIZE"))
    return LaunchedJob{"Open MPI's mpirun", open_mpi, number_in_environment("OMPI_COMM_WORLD_RANK"), size};
  const auto tasks = tasks_of_slurm_step();
  if (const auto rank = number_in_environment("PMIX_RANK")) {
    const bool of_slurm = text_in_environment("PMIX_NAMESPACE").starts_with("slurm.");
    return LaunchedJob{of_slurm ? "srun" : "a launcher with PMIx", pmix, rank, of_slurm ? tasks : std::nullopt};
  }
  for (const ForeignLauncher& launcher : foreign_launchers) {
    const auto size = number_in_environment(launcher.size);
    const auto rank = number_in_environment(launcher.rank);
    if (!size && !rank) continue;
    const bool of_slurm = size && size == tasks;
    return LaunchedJob{of_slurm ? "srun without PMIx" : launcher.name, other, rank, size};
  }
  if (tasks) return LaunchedJob{"srun without PMIx", other, number_in_environment("SLURM_PROCID"), tasks};
  if (number_in_environment("MPI_LOCALNRANKS").value_or(1) > 1)  // counts those of this host only
    return LaunchedJob{"an mpiexec", other, std::nullopt, std::nullopt};
  return std::nullopt;
}

std::chrono::seconds time_for_rank_0(const LaunchedJob& job) {
  return std::chrono::seconds(job.meeting == LaunchedJob::Meeting::open_mpi ? 60 : 3);
}

bool can_join(const LaunchedJob& job, std::string_view library) {
  return job.meeting != LaunchedJob::Meeting::other || !library.starts_with("Open MPI");
}

bool has_joined(const LaunchedJob& job, std::uint32_t rank, std::uint32_t size) {
  return job.rank.value_or(rank) == rank && job.size.value_or(size) == size;
}

std::string not_joined(const LaunchedJob& job, std::string_view library) {
  const std::string processes = job.size ? fmt::format("{} processes", *job.size) : std::string("several processes");
  const std::string_view cure = library.starts_with("Open MPI") ? "start it by Open MPI's mpirun or by srun --mpi=pmix"
                                                                : "start it by the mpiexec of that library";
  return fmt::format("{} started {}, each of which would train alone, because meteor is built with {}: {}",
                     job.launcher, processes, library, cure);
}

}  // namespace meteor
