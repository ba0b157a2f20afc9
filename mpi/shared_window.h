#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/crew.h"
#include "mpi/mail.h"
#include "mpi/messages.h"

namespace meteor {

/// What rank 0 knows of those who work for it.
struct Team {
  Team(const Settings& settings, Mail& mail);

  bool root_works() const { return settings.parallel.root_trains; }
  /// Ranks that learn.
  std::uint32_t learners() const { return mail.size() - (root_works() ? 0 : 1); }

  const Settings& settings;
  Mail& mail;
  std::vector<std::uint32_t> workers;
  std::vector<WorkerReport> reports;  ///< the last one of each rank
  std::deque<std::uint64_t> told;     ///< windows that the replicas know and whose changes have not been sent
  std::uint64_t gathered = 0;         ///< bytes
  double own_duties = 0;              ///< seconds that rank 0 spent on other things while the last window was learnt
  double shard_seconds = 0;           ///< that a shard of it took
};

/// From here on a worker that was asked to stop asks rank 0 to, whatever rank 0 is busy with or waits for.
void hear_stops(Mail& mail);

/// Gives the shards of a window to the workers and learns those of rank 0. All four must outlive what is returned.
std::unique_ptr<WindowInProgress> share_window(Team& team, const WindowTask& task, const Model& model,
                                               ShardMerge& merge);

}  // namespace meteor
