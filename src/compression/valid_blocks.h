#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/block_work.h"

namespace meteor {

// What holds of every block that this program shares out, of what all blocks share, and of the results. Messages may
// hold anything: whoever reads one asks here before it is used. These functions check shapes, and numbers that count or
// index something. They leave embeddings and codes alone: one that is not finite is found by whoever learns from it,
// the same way on one rank as on many. All throw StorageError that says what does not fit.

/// The function can work on the block, whose rows have the model's dimension, with what all blocks share.
void require_valid_block(BlockJob job, std::span<const Array> block, std::span<const Array> shared,
                         std::size_t dimension);

/// What has to be known of a block, once it is sent away, to tell what can be a result of it.
struct BlockOutline {
  std::size_t rows = 0;              ///< as such or coded
  std::size_t width = 0;             ///< of a row; 0 where rows are coded
  std::size_t vectors = 0;           ///< basis vectors that it has or asks for
  std::vector<std::uint8_t> tables;  ///< by which rows are to be coded anew
};
BlockOutline outline_of(std::span<const Array> block);

/// This is what the function gives for the block, with what this process has shared.
void require_valid_result(BlockJob job, const BlockOutline& block, std::span<const Array> shared,
                          std::span<const Array> result);

}  // namespace meteor
