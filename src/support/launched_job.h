#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace meteor {

/// The job that this process belongs to, as its launcher tells in environment variables before MPI is initialised.
struct LaunchedJob {
  /// How the processes of the job find each other.
  enum class Meeting { open_mpi, pmix, other };

  std::string launcher;  ///< as users call it
  Meeting meeting = Meeting::other;
  std::optional<std::uint32_t> rank;  ///< none where the launcher does not tell
  std::optional<std::uint32_t> size;
};

/// Nothing for a program that was started alone, also as the one process of a batch script with many tasks. A program
/// started alone never initialises MPI.
std::optional<LaunchedJob> launched_job();

/// How long the other processes stay when all of them fail alike, so that rank 0 can say why. mpirun ends the job as
/// soon as a process has failed, which must be rank 0, however slow it is: its failure ends the waiting of the others.
/// Most other launchers wait for every process to end, and then users would feel a long time.
std::chrono::seconds time_for_rank_0(const LaunchedJob& job);

/// Whether the MPI library (mpi_library()) may be initialised in this job: Open MPI takes each process of a launcher
/// that it does not know for a job of its own, or ends the program in its own words.
bool can_join(const LaunchedJob& job, std::string_view library);

/// Whether the ranks that MPI knows are those that the launcher started.
bool has_joined(const LaunchedJob& job, std::uint32_t rank, std::uint32_t size);

/// Why the processes of a job do not work together, and what to do: one sentence.
std::string not_joined(const LaunchedJob& job, std::string_view library);

}  // namespace meteor
