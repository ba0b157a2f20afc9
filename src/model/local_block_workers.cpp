#include "model/local_block_workers.h"

#include "support/pulse.h"
#include "support/threads.h"

namespace meteor {
namespace {

class LocalBlocks final : public SharedBlocks {
 public:
  LocalBlocks(std::vector<WorkBlock> blocks, std::size_t threads) : blocks_(std::move(blocks)), threads_(threads) {}

  std::vector<std::vector<Array>> map(const BlockJob& job, std::span<const Array> shared) override {
    std::vector<std::vector<Array>> results(blocks_.size());
    share_work(threads_, blocks_.size(), [&](std::size_t i) {
      const WorkBlock& block = blocks_[i];
      results[i] = block.make ? job.work(block.make(), shared) : job.work(block.arrays, shared);
      Pulse::beat();
    });
    return results;
  }

 private:
  std::vector<WorkBlock> blocks_;
  std::size_t threads_;
};

}  // namespace

std::unique_ptr<SharedBlocks> LocalBlockWorkers::share_out(std::vector<WorkBlock> blocks) {
  return std::make_unique<LocalBlocks>(std::move(blocks), threads_);
}

}  // namespace meteor
