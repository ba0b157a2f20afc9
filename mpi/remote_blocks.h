#pragma once

#include <memory>
#include <vector>

#include "model/block_work.h"
#include "mpi/mail.h"

namespace meteor {

/// Rank 0 gives blocks of nearly equal cost to all ranks, itself among them if it works too. `alive` counts those that
/// have been shared out and not gone; workers let go of the others when they next hear of blocks, or of something else.
std::unique_ptr<SharedBlocks> share_among_ranks(Mail& mail, std::size_t& alive, std::vector<WorkBlock> blocks,
                                                std::size_t threads, bool root_works);

}  // namespace meteor
