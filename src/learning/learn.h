#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/settings.h"
#include "learning/costly_embeddings.h"
#include "learning/record_kernel.h"
#include "learning/shard.h"
#include "support/error.h"

namespace meteor {

/// What a shard taught, as steps from where it started.
struct ShardUpdate {
  std::uint32_t number = 0;  ///< of the shard
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> counts;  ///< records of the shard that hold the unit
  std::vector<float> growths;         ///< of AdaGrad's accumulators
  AlignedRows steps;
  /// Units of other shards that it drew as negatives, and how far they moved: a row of bfloat16 each, wherever they are
  /// worked on.
  std::vector<std::uint32_t> other_slots;
  std::vector<std::uint16_t> other_steps;
  double loss = 0;               ///< summed over the units of the records, in the last of these epochs (Eq. 3)
  std::uint64_t losses = 0;      ///< how many units that were
  std::uint64_t unit_steps = 0;  ///< units learnt, all epochs
};

/// An embedding became infinite or not a number, which would spread through the whole model.
struct NotFinite : NumericError {
  NotFinite(std::uint64_t in_window, std::uint64_t in_record, UnitId of_unit);
  std::string where;  ///< "rank 2: " where that is known
  std::uint64_t window;
  std::uint64_t record;  ///< its number in the input
  UnitId unit;
};

/// Passes over a window's records, of all those that the settings ask for.
struct EpochRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;  ///< the same as first: the window is only tested

  bool begins_learning() const { return first == 0 && end > 0; }
};
inline EpochRange all_epochs(const LearningSettings& settings) { return {0, settings.epochs}; }

/// η of the optimiser that the settings name.
inline double rate_of(const LearningSettings& settings) {
  return settings.optimiser == Optimiser::sgd ? settings.sgd_rate : settings.rate;
}

/// What is taken off a score before σ. With k negatives for each unit v·h would learn log lift − log k: units that have
/// nothing to do with each other would be driven to negative products, which vectors that serve all of them as unit and
/// as context cannot have. With log k taken off a score is a log lift. A lift is 1 on average and below that for most
/// pairs, so that a little more puts those at right angles.
double shift_of(const LearningSettings& settings);

/// How much a unit weighs in the context of the others of its record, which holds so many units of its attribute: of
/// twenty items and a user, the user has something to say, too, but not as much as all items together.
float context_weight(Context context, std::size_t units_of_attribute);

/// Learns a shard's records from the given start, the costly embeddings of its units, which it uses up. The same
/// arguments give the same bits. Throws NotFinite, and Abandoned soon after `abandon`, if given, says true.
ShardUpdate learn(const WindowUnits& window, const Shard& shard, CostlyEmbeddings& costly,
                  const LearningSettings& settings, EpochRange epochs, const RecordKernel& kernel,
                  const std::function<bool()>& abandon = {});

}  // namespace meteor
