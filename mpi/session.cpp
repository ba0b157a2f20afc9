#include "mpi/session.h"

#include <chrono>
#include <thread>

#include "commands/command_line.h"
#include "mpi/launch.h"
#include "mpi/mail.h"
#include "mpi/mpi_transport.h"
#include "mpi/owner_crew.h"
#include "mpi/worker.h"
#include "support/log.h"
#include "support/stop_signal.h"

namespace meteor {
namespace {

constexpr std::chrono::seconds kPatienceAtStart{300};  // until the settings are known
constexpr std::chrono::seconds kTimeForRank0{3};       // to say what a worker reported, and to end the job

}  // namespace

void launch_ranks(const std::function<void(const MakeCrew&)>& owner) {
  if (!launched_by_mpi()) return launch_alone(owner);
  watch_signals();  // launchers send them to all ranks, at any moment
  MpiTransport transport;
  try {
    if (transport.size() == 1) return launch_alone(owner);
    Mail mail(transport, kPatienceAtStart);
    if (transport.rank() == 0) {
      owner([&](const Settings& settings) { return owner_crew(settings, mail); });
    } else {
      work_for_owner(mail);
    }
  } catch (...) {
    if (transport.rank() > 0) std::this_thread::sleep_for(kTimeForRank0);
    mute_log(false);
    transport.abort(tell_failure());
  }
}

}  // namespace meteor
