#pragma once

#include <cstdint>
#include <vector>

#include "config/settings.h"
#include "learning/costly_embeddings.h"
#include "learning/record_kernel.h"
#include "learning/shard.h"
#include "support/error.h"

namespace meteor {

/// What a shard taught. Values are those of the shard's own units; negatives of other shards are left out.
struct ShardUpdate {
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> counts;  ///< records of the shard that hold the unit
  std::vector<float> accumulators;
  AlignedRows rows;
  double loss = 0;               ///< summed over the units of the last epoch's records (Eq. 3)
  std::uint64_t losses = 0;      ///< how many units that were
  std::uint64_t unit_steps = 0;  ///< units learnt, all epochs
};

/// An embedding became infinite or not a number, which would spread through the whole model.
struct NotFinite : NumericError {
  NotFinite(std::uint64_t in_window, std::uint64_t in_record, UnitId of_unit);
  std::uint64_t window;
  std::uint64_t record;  ///< its number in the input
  UnitId unit;
};

/// Learns a shard's records from the given start, the costly embeddings of its units, which it uses up. The same
/// arguments give the same bits. Throws NotFinite.
ShardUpdate learn(const WindowUnits& window, const Shard& shard, CostlyEmbeddings& costly,
                  const LearningSettings& settings, const RecordKernel& kernel);

}  // namespace meteor
