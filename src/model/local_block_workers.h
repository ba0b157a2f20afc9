#pragma once

#include <cstddef>

#include "model/block_work.h"

namespace meteor {

/// The threads of this process.
class LocalBlockWorkers : public BlockWorkers {
 public:
  explicit LocalBlockWorkers(std::size_t threads) : threads_(threads) {}
  std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) override;
  std::size_t threads() const override { return threads_; }

 private:
  std::size_t threads_;
};

}  // namespace meteor
