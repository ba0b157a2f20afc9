#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/record_kernel.h"
#include "learning/shard.h"
#include "learning/window_start.h"
#include "support/aligned_rows.h"

namespace meteor {

/// The full embeddings of the units that a shard works on, with AdaGrad's accumulators, while it is being learnt. They
/// are rebuilt from the window's start: the shard's own units at once, negatives of other shards once they are drawn.
class CostlyEmbeddings {
 public:
  /// Window and start must outlive the object.
  CostlyEmbeddings(const WindowUnits& window, const Shard& shard, const WindowStart& start);

  /// The slot's row: `width` floats of embedding, then as many of accumulator. It does not move. One of another shard
  /// that is asked for for the first time is empty until rebuild_drawn().
  float* row(std::uint32_t slot) {
    if (rows_[slot] == nullptr) add_foreign(slot);
    return rows_[slot];
  }
  /// Fills the rows that were asked for since the last time, all at once, which is cheaper than one by one.
  void rebuild_drawn() {
    if (drawn_.empty()) return;
    rebuild(drawn_);
    drawn_.clear();
  }

  /// The shard's own slots.
  const SlotCounts& own() const { return own_; }
  /// Slots of other shards that have been asked for.
  const std::vector<std::uint32_t>& others() const { return others_; }
  std::size_t dimension() const { return start_.dimension(); }
  /// Whether the unit has something to start from: it was learnt before, or its category has units.
  bool knows(std::uint32_t slot) const { return start_.knows(slot); }
  std::size_t width() const { return width_; }

  /// How much AdaGrad's accumulator of a row has grown, both as one number, (mean √a)².
  float accumulator_growth(std::uint32_t slot) const;

  /// How far the embeddings of others() have come from their start, a row of bfloat16 each. Their accumulators are gone
  /// then.
  std::vector<std::uint16_t> other_steps();

  /// How far the embeddings of own() have come from their start, in their order and in the memory where they were
  /// learnt, so that a window's embeddings never exist twice. The object is of no further use.
  AlignedRows take_own_steps();

 private:
  void rebuild(std::span<const std::uint32_t> slots);
  /// Rebuilds starts where the accumulators of these slots were, which nobody needs any more.
  void restart_in_accumulators(std::span<const std::uint32_t> slots);
  void add_foreign(std::uint32_t slot);

  const WindowStart& start_;
  std::size_t width_;
  std::vector<float*> rows_;  // by slot
  SlotCounts own_;
  AlignedRows own_rows_;
  std::vector<AlignedRows> foreign_blocks_;
  std::size_t foreign_used_ = 0;  // rows of the last block
  std::vector<std::uint32_t> others_;
  std::vector<std::uint32_t> drawn_;
};

}  // namespace meteor
