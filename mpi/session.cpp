#include "mpi/session.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "commands/command_line.h"
#include "mpi/mail.h"
#include "mpi/mpi_calls.h"
#include "mpi/mpi_transport.h"
#include "mpi/owner_crew.h"
#include "mpi/worker.h"
#include "support/launched_job.h"
#include "support/log.h"
#include "support/stop_signal.h"

namespace meteor {
namespace {

constexpr std::chrono::seconds kPatienceAtStart{300};  // until the settings are known
constexpr std::chrono::seconds kTimeToTell{10};        // has rank 0, of what a worker reported, and to end the job

/// The process of rank 0 speaks, if there is one; the others give it time to, before they make the launcher end the
/// job.
[[noreturn]] void refuse(const LaunchedJob& job, const std::string& library) {
  if (job.rank.value_or(0) > 0) {
    mute_log(true);
    std::this_thread::sleep_for(time_for_rank_0(job));
  }
  throw UsageError(not_joined(job, library));
}

}  // namespace

void LaunchedRanks::run(const std::function<void()>& owner) {
  const std::optional<LaunchedJob> job = launched_job();
  if (!job) return alone_.run(owner);
  const std::string library = mpi_library();
  if (!can_join(*job, library)) {
    if (job->size == 1u) return alone_.run(owner);
    refuse(*job, library);
  }
  outlive_readers();
  watch_signals();  // launchers send them to all ranks, at any moment
  MpiTransport transport;
  if (!has_joined(*job, transport.rank(), transport.size())) refuse(*job, library);
  try {
    if (transport.size() == 1) {
      alone_.run(owner);
    } else {
      work(transport, owner, fmt::format("started by {}, with {}", job->launcher, library));
    }
    transport.finish();
  } catch (...) {
    if (transport.rank() > 0) std::this_thread::sleep_for(kTimeToTell);
    mute_log(false);
    transport.abort(tell_failure());
  }
}

void LaunchedRanks::work(Transport& transport, const std::function<void()>& owner, std::string start) {
  Mail mail(transport, kPatienceAtStart);
  if (transport.rank() > 0) return work_for_owner(mail);
  mail_ = &mail;
  start_ = std::move(start);
  owner();
  dismiss_workers(mail);
  mail_ = nullptr;
}

std::uint32_t LaunchedRanks::size() const { return mail_ != nullptr ? mail_->size() : 1; }

std::unique_ptr<Crew> LaunchedRanks::crew(const Settings& settings) {
  return mail_ != nullptr ? owner_crew(settings, *mail_, start_) : alone_.crew(settings);
}

}  // namespace meteor
