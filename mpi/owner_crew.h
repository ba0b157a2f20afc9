#pragma once

#include <memory>
#include <string_view>

#include "engine/crew.h"
#include "mpi/mail.h"

namespace meteor {

/// Rank 0's side of a run on several processes: it owns the model, gives out shards, gathers what came of them, and
/// learns some itself unless parallel.root_trains is false. Welcomes the workers first. `settings` and `mail` must
/// outlive it. `start`, what started the ranks, is logged together with their hosts, unless it is empty.
std::unique_ptr<Crew> owner_crew(const Settings& settings, Mail& mail, std::string_view start = {});

/// Tells the workers that the run is over.
void dismiss_workers(Mail& mail);

}  // namespace meteor
