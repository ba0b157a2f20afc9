#pragma once

#include <functional>

#include "methods/crew.h"

namespace meteor {

/// Starts a run on all processes of the job: rank 0 owns the model, the others work for it. A program that was not
/// started by mpiexec or a batch system runs alone, without MPI. Any failure on any rank is told in one sentence and
/// ends the job.
void launch_ranks(const std::function<void(const MakeCrew&)>& owner);

}  // namespace meteor
