#pragma once

#include "mpi/mail.h"

namespace meteor {

/// A worker's side of a run: holds a replica of the compressed model, works on the shards and blocks that it is given,
/// and returns when the run is over. What goes wrong is reported to rank 0, which speaks for all, and thrown.
void work_for_owner(Mail& mail);

}  // namespace meteor
