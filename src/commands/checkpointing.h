#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "engine/online_embedding.h"
#include "storage/checkpoint_folder.h"
#include "storage/checkpoint_writer.h"

namespace meteor {

/// What is done about checkpoints that are there when a run starts.
enum class ResumeMode { automatic, never, require };

/// The checkpoints of a training run: finds the one to go on from, and writes new ones when they are due.
class Checkpointing {
 public:
  /// Locks the folder. `settings` must outlive the object. Throws StorageError.
  Checkpointing(const std::string& folder, ResumeMode mode, const CheckpointSettings& settings);

  /// The checkpoint to go on from, once; none where the run starts anew. Throws StorageError where one is required or
  /// all are damaged.
  std::optional<Checkpoint> take_found();

  /// Writes a checkpoint if one is due: after so many windows or minutes, or asked for by a signal. The run waits only
  /// for the copy that is written. Returns the seconds that took.
  double at_rest(const Settings& settings, const Vocabulary& vocabulary, const OnlineEmbedding& embedding,
                 const RunState& run, std::mutex& admitting);
  /// Writes the last checkpoint and waits for it; whether it is on the disk.
  bool finish(const Settings& settings, const Vocabulary& vocabulary, const OnlineEmbedding& embedding,
              const RunState& run);

 private:
  using Clock = std::chrono::steady_clock;
  bool due(const RunState& run);
  void write(const Settings& settings, const Vocabulary& vocabulary, const OnlineEmbedding& embedding,
             const RunState& run);

  const CheckpointSettings& settings_;
  CheckpointFolder folder_;
  std::optional<Checkpoint> found_;
  CheckpointWriter writer_;
  std::uint64_t last_windows_ = 0;  // of the last checkpoint; 0: none yet
  Clock::time_point last_time_ = Clock::now();
  bool asked_ = false;  // by a signal
};

/// Refuses to go on from a checkpoint with settings that would have led to another one: all of them are listed.
/// Settings that change only how a run works (ranks, threads, checkpoints) may differ.
void check_same_settings(const Settings& stored, const Settings& settings);
/// The same for the content of the files of categories.
void check_same_categories(const RunState& stored, const Categories& categories, const Settings& settings);

}  // namespace meteor
