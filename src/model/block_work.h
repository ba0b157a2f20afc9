#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "model/array.h"

namespace meteor {

/// What has to be known of a block, once it is sent away, to tell what can be a result of it.
struct BlockOutline {
  std::size_t rows = 0;              ///< as such or coded
  std::size_t width = 0;             ///< of a row; 0 where rows are coded
  std::size_t vectors = 0;           ///< basis vectors that it has or asks for
  std::vector<std::uint8_t> tables;  ///< by which rows are to be coded anew
};

/// A computation over one block of data and something that all blocks share. It depends on nothing else, so that it can
/// run in any thread of any process. Messages may hold anything: whoever reads one asks the job's checks before it is
/// used. These look at shapes, and at numbers that count or index something. They leave embeddings and codes alone: one
/// that is not finite is found by whoever learns from it, the same way on one rank as on many. Both throw StorageError.
struct BlockJob {
  std::string_view name;  ///< by which processes know it
  std::vector<Array> (*work)(std::span<const Array> block, std::span<const Array> shared);
  /// It can work on the block, whose rows have the model's dimension, with what all blocks share.
  void (*require_block)(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension);
  /// This is what it gives for the block, with what this process has shared.
  void (*require_result)(const BlockOutline& block, std::span<const Array> shared, std::span<const Array> result);
};

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
  /// What the job gives for each block, in their order.
  virtual std::vector<std::vector<Array>> map(const BlockJob& job, std::span<const Array> shared) = 0;
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
