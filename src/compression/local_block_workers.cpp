#include "compression/local_block_workers.h"

#include <stdexcept>

#include "compression/cluster_refit.h"
#include "compression/fit_clusters.h"
#include "compression/fit_spectral.h"
#include "compression/kmeans.h"
#include "compression/subspace.h"
#include "support/pulse.h"
#include "support/threads.h"

namespace meteor {
namespace {

class LocalBlocks final : public SharedBlocks {
 public:
  LocalBlocks(std::vector<WorkBlock> blocks, std::size_t threads) : blocks_(std::move(blocks)), threads_(threads) {}

  std::vector<std::vector<Array>> map(BlockJob job, std::span<const Array> shared) override {
    std::vector<std::vector<Array>> results(blocks_.size());
    const BlockFunction function = function_of(job);
    share_work(threads_, blocks_.size(), [&](std::size_t i) {
      const WorkBlock& block = blocks_[i];
      results[i] = block.make ? function(block.make(), shared) : function(block.arrays, shared);
      Pulse::beat();
    });
    return results;
  }

 private:
  std::vector<WorkBlock> blocks_;
  std::size_t threads_;
};

}  // namespace

BlockFunction function_of(BlockJob job) {
  switch (job) {
    case BlockJob::nearest_centroids:
      return nearest_centroids_of_block;
    case BlockJob::fit_cluster:
      return fit_cluster_block;
    case BlockJob::refit_cluster:
      return refit_cluster_block;
    case BlockJob::spectral_moments:
      return spectral_moments_of_block;
    case BlockJob::spectral_encode:
      return encode_block;
    case BlockJob::nearest_subspaces:
      return nearest_subspaces_of_block;
    case BlockJob::fit_subspace:
      return fit_subspace_block;
  }
  throw std::logic_error("no such block function");
}

std::unique_ptr<SharedBlocks> LocalBlockWorkers::share_out(std::vector<WorkBlock> blocks) {
  return std::make_unique<LocalBlocks>(std::move(blocks), threads_);
}

}  // namespace meteor
