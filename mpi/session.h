#pragma once

#include <functional>

#include "methods/crew.h"

namespace meteor {

/// Starts a run on all processes of the job: rank 0 owns the model, the others work for it. A program that was not
/// started by a launcher runs alone, without MPI; where a launcher started several that MPI does not join, each refuses
/// to. Any failure on any rank is told in one sentence and ends the job.
void launch_ranks(const std::function<void(const MakeCrew&)>& owner);

}  // namespace meteor
