#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/settings.h"
#include "engine/shard_work.h"
#include "evaluation/retrieval.h"
#include "learning/learn.h"
#include "learning/merge.h"
#include "model/block_work.h"
#include "support/abandonment.h"
#include "support/phases.h"

namespace meteor {

/// A window to be learnt, or one round of it.
struct WindowTask {
  const WindowUnits& units;
  std::span<const Shard> shards;
  EpochRange epochs;
  const SlotRows* start = nullptr;   ///< of some slots, in place of the model's; of all in rounds after the first
  const WindowTest* test = nullptr;  ///< if there is one, every shard is tested before it is learnt
  Abandonment* abandonment = nullptr;

  bool given_up() const { return abandonment != nullptr && abandonment->given_up(); }
};

/// What working off a task took.
struct TaskReport {
  RetrievalScore score;
  PhaseSeconds seconds;  ///< of the process that was busy longest
  double imbalance = 1;  ///< busy time of that process over the mean
};

/// What went between processes so far.
struct Traffic {
  std::uint64_t sent = 0;  ///< by all of them
  std::uint64_t received = 0;
  std::uint64_t broadcast = 0;  ///< model and windows, counted once however many receive them
  std::uint64_t gathered = 0;   ///< what shards taught, by the process that owns the model

  Traffic operator-(const Traffic& before) const {
    return {sent - before.sent, received - before.received, broadcast - before.broadcast, gathered - before.gathered};
  }
  Traffic& operator+=(const Traffic& other) {
    sent += other.sent;
    received += other.received;
    broadcast += other.broadcast;
    gathered += other.gathered;
    return *this;
  }
};

/// A window that a crew is learning.
class WindowInProgress {
 public:
  virtual ~WindowInProgress() = default;
  /// Waits for the others. Throws Abandoned if the task is given up; no other may follow then.
  virtual TaskReport finish() = 0;
};

/// Those who do the costly work of a run: the threads of this process, or many processes, each with a replica of the
/// compressed model. What comes of it depends on the shards only, not on who works on which.
class Crew : public BlockWorkers {
 public:
  virtual std::uint32_t ranks() const = 0;

  /// Replicas start anew from this model, which has just been fitted or loaded.
  virtual void replicate(const Model& model) = 0;
  /// Replicas follow what a window, one that they have learnt, changed.
  virtual void follow(const WindowUnits& window, std::span<const Array> changes) = 0;

  /// Begins to learn the task's shards from the state that the replicas have now; they are merged as they are learnt.
  /// Returns when nothing here reads the model any more: a change of it is not seen by this task. All three must
  /// outlive what is returned.
  virtual std::unique_ptr<WindowInProgress> begin(const WindowTask& task, const Model& model, ShardMerge& merge) = 0;

  virtual Traffic traffic() const = 0;
  /// The most memory that each process has held so far.
  virtual std::vector<std::uint64_t> peak_rss_bytes() const = 0;
};

/// The threads of this process alone.
std::unique_ptr<Crew> local_crew(const Settings& settings);

}  // namespace meteor
