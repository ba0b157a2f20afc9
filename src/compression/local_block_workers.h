#pragma once

#include <cstddef>

#include "model/block_work.h"

namespace meteor {

BlockFunction function_of(BlockJob job);

/// Blocks whose cost does not matter, because the threads of a process take one after another.
std::vector<WorkBlock> work_blocks(const std::vector<std::vector<Array>>& blocks);

/// The threads of this process.
class LocalBlockWorkers : public BlockWorkers {
 public:
  explicit LocalBlockWorkers(std::size_t threads) : threads_(threads) {}
  std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) override;

 private:
  std::size_t threads_;
};

}  // namespace meteor
