#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/expiry.h"
#include "engine/outline.h"
#include "engine/window_feed.h"
#include "learning/merge.h"
#include "stream/record_reader.h"

namespace meteor {

/// A window that is learnt and not yet in the model.
struct LearntWindow {
  WindowUnits units;
  WindowSteps steps;
};

/// How far a run has come, besides its model.
struct RunState {
  StreamPosition end;             ///< of the last window that was learnt
  std::uint64_t next_number = 0;  ///< of the window after it
  SkippedRecords skipped;
  PretrainingEnd pretraining;
  std::int64_t first_begin = 0;  ///< of the first window, learnt or not
  TextExtent first_reading;      ///< of the whole input, if there was one before it was learnt
  std::uint64_t windows = 0;     ///< learnt
  std::uint64_t records = 0;
  std::map<std::string, Vocabulary::Sighted> sightings;  ///< of units that are not yet admitted
  Expiry expiry;
  std::uint64_t reject_bytes = 0;                 ///< of the file of rejects
  std::uint64_t metrics_bytes = 0;                ///< of the file of metrics
  std::map<std::string, std::string> categories;  ///< their hashes, by the attributes that have some
};

}  // namespace meteor
