#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/settings.h"
#include "model/vocabulary.h"
#include "model/window.h"
#include "stream/record_reader.h"
#include "stream/window_cutter.h"

namespace meteor {

/// Records that were read but are not learnt.
struct SkippedRecords {
  std::uint64_t too_small = 0;  ///< fewer than two units: nothing to learn from
  std::uint64_t late = 0;       ///< dropped by stream.late = "drop"
};

/// Turns a stream into windows of numbered units, admitting new units to the vocabulary on the way.
class WindowFeed {
 public:
  /// Reader and vocabulary must outlive the feed. The first window gets `first_number`.
  WindowFeed(RecordReader& reader, Vocabulary& vocabulary, const StreamSettings& settings,
             std::uint64_t first_number = 0);

  /// The next window that has anything to learn; none at the end of the stream.
  std::optional<Window> next();

  const SkippedRecords& skipped() const { return skipped_; }

 private:
  void append(Window& window);

  RecordReader& reader_;
  Vocabulary& vocabulary_;
  WindowCutter cutter_;
  TextRecord record_;
  bool waiting_ = false;  // record_ opens the next window
  std::uint64_t next_number_;
  SkippedRecords skipped_;
  std::vector<UnitId> units_;  // of one record, reused
  std::vector<TextUnit> newcomers_;
};

}  // namespace meteor
