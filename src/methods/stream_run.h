#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "methods/online_embedding.h"
#include "methods/outline.h"
#include "methods/window_feed.h"

namespace meteor {

/// Where a run reads from and how far.
struct StreamInput {
  std::string path;               ///< "-" is standard input
  bool follow = false;            ///< wait at the end of the file for more
  std::filesystem::path rejects;  ///< where rejected records are written, if anywhere
  std::uint64_t max_windows = std::numeric_limits<std::uint64_t>::max();
  std::function<bool()> stop;  ///< asked now and then; true ends the input where it is
};

/// What a run did so far.
struct RunTotals {
  std::uint64_t windows = 0;
  std::uint64_t records = 0;  ///< learnt
  std::uint64_t unit_steps = 0;
  std::uint32_t shards = 0;  ///< of the window that had most
  std::uint64_t rejected = 0;
  SkippedRecords skipped;
  RetrievalScore score;
  Traffic traffic;
  PhaseSeconds seconds;

  double records_per_second() const;
  double unit_steps_per_second() const;
};

/// What a command does around each window.
struct RunHooks {
  std::function<bool(const Window&)> asks;  ///< whether the window is tested before it is learnt
  std::function<void(const WindowReport&, const RunTotals&)> after_learning;
};

/// Learns a stream window by window to its end: first the windows that pretrain, then, compressed, the rest.
RunTotals run_stream(const StreamInput& input, const Settings& settings, const PretrainingEnd& pretraining,
                     Vocabulary& vocabulary, const Categories& categories, OnlineEmbedding& embedding,
                     const RunHooks& hooks);

}  // namespace meteor
