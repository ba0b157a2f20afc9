#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/record_kernel.h"
#include "learning/shard.h"
#include "model/model.h"
#include "support/aligned_rows.h"

namespace meteor {

/// The full embeddings of the units that a shard works on, with AdaGrad's accumulators, while it is being learnt. They
/// are rebuilt from the model, the shard's own units together and negatives of other shards when they are first drawn.
/// A unit that the model does not know starts at random, the same for everyone who asks.
class CostlyEmbeddings {
 public:
  CostlyEmbeddings(const WindowUnits& window, const Model& model, std::uint64_t seed);

  /// Rebuilds the rows of these slots; none has a row yet.
  void rebuild(std::span<const std::uint32_t> slots);

  /// The slot's row: `width` floats of embedding, then as many of accumulator. It does not move.
  float* row(std::uint32_t slot) {
    if (rows_[slot] == nullptr) rebuild({&slot, 1});
    return rows_[slot];
  }

  std::size_t dimension() const { return model_.dimension; }
  std::size_t width() const { return width_; }

  /// AdaGrad's accumulator of a row as one number, (mean √a)².
  float collapsed_accumulator(std::uint32_t slot) const;

 private:
  float* reserve_row();

  const WindowUnits& window_;
  const Model& model_;
  std::uint64_t seed_;
  std::size_t width_;
  std::vector<float*> rows_;         // by slot
  std::vector<AlignedRows> blocks_;  // where the rows live
  std::size_t used_ = 0;             // rows of the last block
};

}  // namespace meteor
