#pragma once

#include <filesystem>
#include <optional>

#include "engine/run_state.h"
#include "storage/model_content.h"

namespace meteor {

/// A run as it stood between two windows: everything that determines how it goes on.
struct Checkpoint {
  StoredModel stored;
  RunState run;
  std::optional<LearntWindow> waiting;  ///< learnt, and not yet in the model
};

/// A copy of a run's state that can be written while the run goes on.
FileContent checkpoint_content(const Settings& settings, const Vocabulary& vocabulary, const Model& model,
                               const RunState& run, const LearntWindow* waiting);

/// Reads a checkpoint. Throws StorageError when it is missing, damaged, no checkpoint, or of a newer format.
Checkpoint load_checkpoint(const std::filesystem::path& path);

}  // namespace meteor
