#pragma once

#include <cstdint>
#include <mutex>
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
  /// Where the window that next() gave last ends in the stream.
  const StreamPosition& position() const { return position_; }
  /// When the first window began, whether it had anything to learn or not.
  std::int64_t first_begin() const { return first_begin_; }
  /// The number of the window after it.
  std::uint64_t next_number() const { return next_number_; }
  /// As if so many records had been skipped before.
  void go_on_from(const SkippedRecords& skipped) { skipped_ = skipped; }

  /// Held while units are admitted: whoever else looks at the vocabulary holds it too.
  std::mutex& admitting() { return admitting_; }

 private:
  void append(Window& window);

  RecordReader& reader_;
  Vocabulary& vocabulary_;
  WindowCutter cutter_;
  TextRecord record_;
  bool waiting_ = false;  // record_ opens the next window
  std::uint64_t first_number_;
  std::uint64_t next_number_;
  std::int64_t first_begin_ = 0;
  SkippedRecords skipped_;
  StreamPosition position_;
  std::mutex admitting_;
  std::vector<UnitId> units_;  // of one record, reused
  std::vector<TextUnit> newcomers_;
};

}  // namespace meteor
