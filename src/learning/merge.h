#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "learning/learn.h"

namespace meteor {

/// What a window taught: a step for every one of its slots.
struct WindowSteps {
  std::vector<float> growths;  ///< of AdaGrad's accumulators
  AlignedRows steps;
  double loss = 0;
  std::uint64_t losses = 0;
  std::uint64_t unit_steps = 0;
};

/// Merges the steps of a window's shards. A unit's step is the mean over the shards that hold it, each weighing the
/// number of its records that do, times n^α with n = (Σc)²/Σc², the effective number of shards: a plain mean (α = 0)
/// under-trains, since each shard took only its share of the steps; their sum (α = 1) may overshoot. Steps that it took
/// as a negative in other shards are added, divided by √N for N shards: without them rare units, which are in few
/// shards, would hardly be pushed away from where they do not belong. Accumulators grow by the mean.
class ShardMerge {
 public:
  ShardMerge(std::size_t slots, std::size_t dimension, std::size_t shards, double exponent);

  /// In any order: sums are formed in the order of the shards, so that they do not depend on who was first.
  void add(ShardUpdate update);
  /// What came of it, once all shards have been added.
  WindowSteps take();

 private:
  void add_next(ShardUpdate update);

  std::size_t shards_;
  double exponent_;
  std::size_t slots_;
  std::size_t dimension_;
  std::uint32_t next_ = 0;
  std::map<std::uint32_t, ShardUpdate> early_;
  std::vector<double> weights_;         // Σc
  std::vector<double> square_weights_;  // Σc²
  WindowSteps merged_;
  AlignedRows as_negatives_;  // steps in shards that do not hold the unit, summed
};

}  // namespace meteor
