#pragma once

#include <memory>
#include <vector>

#include "model/block_work.h"
#include "mpi/mail.h"

namespace meteor {

/// Rank 0 gives blocks of nearly equal cost to all ranks, itself among them if it works too.
std::unique_ptr<SharedBlocks> share_among_ranks(Mail& mail, std::vector<WorkBlock> blocks, std::size_t threads,
                                                bool root_works);

}  // namespace meteor
