#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <string>

#include "engine/outline.h"
#include "engine/run_state.h"
#include "engine/stream_learner.h"
#include "engine/window_feed.h"

namespace meteor {

/// Where a run reads from and how far.
struct StreamInput {
  std::string path;               ///< "-" is standard input
  bool follow = false;            ///< wait at the end of the file for more
  std::filesystem::path rejects;  ///< where rejected records are written, if anywhere
  std::uint64_t max_windows = std::numeric_limits<std::uint64_t>::max();  ///< of the whole run
  std::function<bool()> stop;  ///< asked now and then; true ends the input where it is
};

/// What a run did in this process so far.
struct RunTotals {
  std::uint64_t windows = 0;
  std::uint64_t records = 0;  ///< learnt
  std::uint64_t unit_steps = 0;
  std::uint32_t shards = 0;  ///< of the window that had most
  std::uint64_t rejected = 0;
  SkippedRecords skipped;
  std::uint64_t waiting = 0;  ///< units that have not been seen often enough to be admitted
  std::uint64_t expired = 0;  ///< units that were forgotten
  RetrievalScore score;
  Traffic traffic;
  PhaseSeconds seconds;
  bool halted = false;

  double records_per_second() const;
  double unit_steps_per_second() const;
};

/// What a command does around each window.
struct RunHooks {
  /// Before a window is learnt: by then, the model that comes of pretraining is there for one that does not pretrain.
  /// The vocabulary must not be looked at without the lock.
  std::function<void(const ReadWindow&, bool pretrains, std::mutex& admitting)> before_learning;
  std::function<bool(const Window&)> asks;  ///< whether the window is tested before it is learnt
  std::function<void(const WindowReport&, const RunTotals&)> after_learning;
  /// After each window, when nobody works on the model; the vocabulary must not be looked at without the lock.
  std::function<void(const RunState&, std::mutex& admitting)> at_rest;
  /// When the stream has ended, before the model is made ready for use: where the run would go on if more came.
  std::function<void(const RunState&)> at_end;
  /// True ends the run as if it had been interrupted after the last window that was learnt to its end; one that is
  /// being learnt is given up.
  std::function<bool()> halt;
};

/// Where a run starts that has learnt nothing, or so many windows. If the input has been read before, it must still be
/// what was found then.
RunState run_start(const PretrainingEnd& pretraining, std::uint64_t windows = 0, const TextExtent& first_reading = {});

/// Learns a stream window by window from where `state` says, which follows, to its end: first the windows that
/// pretrain, then, compressed, the rest. A run that is halted leaves everything as it was after the last window. Throws
/// InputError where there is nothing to learn.
RunTotals run_stream(const StreamInput& input, const Settings& settings, RunState& state, Vocabulary& vocabulary,
                     const Categories& categories, StreamLearner& learner, const RunHooks& hooks);

}  // namespace meteor
