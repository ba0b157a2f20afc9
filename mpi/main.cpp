#include <malloc.h>

#include <cstdio>
#include <thread>

#include "commands/command_line.h"
#include "mpi/mpi_calls.h"
#include "mpi/session.h"
#include "support/launched_job.h"
#include "support/log.h"
#include "support/stop_signal.h"

int main(int argc, char** argv) {
  meteor::fill_standard_streams();
  meteor::outlive_file_limits();
  // Windows come and go: large blocks are given back when they are freed instead of piling up in the heap.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);  // but small blocks stay, which would fault in again and again
  mallopt(M_ARENA_MAX, 1);             // the threads of a rank allocate little beside the one that learns
  const auto job = meteor::launched_job();
  const bool muted = job && job->rank.value_or(0) > 0 && meteor::can_join(*job, meteor::mpi_library());
  if (muted) {  // rank 0 speaks for all, from the reading of the command line on
    meteor::mute_log(true);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  }
  meteor::LaunchedRanks ranks;
  const int status = meteor::run_command_line(argc, argv, ranks);
  if (status != 0 && muted) std::this_thread::sleep_for(meteor::time_for_rank_0(*job));
  return status;
}
