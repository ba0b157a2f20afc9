#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "config/settings.h"
#include "evaluation/retrieval.h"
#include "learning/learn.h"
#include "support/phases.h"

namespace meteor {

/// A shard as it was tested and learnt.
struct LearntShard {
  ShardUpdate update;
  RetrievalScore score;
};

/// What has to be known to test a window before it is learnt.
struct WindowTest {
  std::vector<std::uint32_t> seen;     ///< of each slot: how many records held its unit before
  std::optional<Newcomers> newcomers;  ///< where candidates are those of the window
};

/// What a process needs to work on the shards of a window. Units start from the given rows or, where there is none,
/// from the model.
struct ShardWork {
  const Settings& settings;
  const WindowUnits& units;
  const SlotRows* given = nullptr;
  const Model* model = nullptr;  ///< where this process has one; candidates from the whole vocabulary need it
  EpochRange epochs;
  const WindowTest* test = nullptr;  ///< if there is one, shards are tested before they are learnt
  std::function<bool()> abandon = {};
  RecordKernel kernel = best_record_kernel();
};

/// Works off shards in as many threads as the settings say and hands each result to `take`, one at a time. Returns the
/// seconds that this took in each phase, shared by the threads. Throws Abandoned as learn() does.
PhaseSeconds work_off(const ShardWork& work, std::span<const Shard* const> shards,
                      const std::function<void(LearntShard)>& take);

}  // namespace meteor
