#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/array.h"

namespace meteor {

/// A computation over one block of data and something that all blocks share. It depends on nothing else, so that it can
/// run in any thread of any process.
using BlockFunction = std::vector<Array> (*)(std::span<const Array> block, std::span<const Array> shared);

/// The functions, which processes know under a common name.
enum class BlockJob : std::uint32_t {
  nearest_centroids,
  fit_cluster,
  refit_cluster,
  spectral_moments,
  spectral_encode,
  nearest_subspaces,
  fit_subspace
};
inline constexpr BlockJob kLastBlockJob = BlockJob::fit_subspace;

/// A block, or how it is made when it is needed, and what working on it costs, in any unit that all blocks have in
/// common.
struct WorkBlock {
  std::vector<Array> arrays;
  double cost = 1;
  std::function<std::vector<Array>()> make =
      nullptr;  ///< may be called by any thread, each time that the block is needed
};

/// Blocks of data that stay where they are worked on, so that they travel once. Others may be shared out meanwhile;
/// then those are worked on, and have to go, before these are worked on again.
class SharedBlocks {
 public:
  virtual ~SharedBlocks() = default;
  /// What the function gives for each block, in their order.
  virtual std::vector<std::vector<Array>> map(BlockJob job, std::span<const Array> shared) = 0;
};

/// Whoever can work on blocks: the threads of this process, or many processes.
class BlockWorkers {
 public:
  virtual ~BlockWorkers() = default;
  /// Arrays without an owner must stay as they are while the blocks live, and both must not outlive the workers.
  virtual std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) = 0;
  /// Threads of this process that have nothing else to do meanwhile, the one that asks among them.
  virtual std::size_t threads() const = 0;
};

}  // namespace meteor
