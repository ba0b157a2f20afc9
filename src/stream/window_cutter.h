#pragma once

#include <cstdint>

#include "config/settings.h"

namespace meteor {

enum class Placement {
  current,  ///< the record belongs to the window of the record before
  next,     ///< the record opens a window; the one before, if there was one, is complete
  dropped,  ///< the record is late and the policy is to drop it
};

/// Assigns the records of a stream, in their order, to windows. Windows of a duration begin at multiples of it since
/// 1970 (UTC), so that windows of a day are days; where nothing happened there is no window. Windows of a number of
/// records ignore time. A record is late when its time lies before the current window: it is dropped, or kept in that
/// window.
class WindowCutter {
 public:
  WindowCutter(WindowLength length, LatePolicy policy) : length_(length), policy_(policy) {}

  Placement place(std::int64_t time);

  /// When the current window begins: its first moment, or for a number of records its first record's time.
  std::int64_t begin() const { return begin_; }
  /// How many records were late so far, kept or dropped.
  std::uint64_t late() const { return late_; }

 private:
  Placement place_by_time(std::int64_t time, std::int64_t length);
  Placement place_by_count(std::int64_t time, std::uint64_t length);

  WindowLength length_;
  LatePolicy policy_;
  bool open_ = false;
  std::int64_t period_ = 0;  ///< which multiple of the duration the current window is
  std::int64_t begin_ = 0;
  std::uint64_t records_ = 0;  ///< in the current window
  std::uint64_t late_ = 0;
};

}  // namespace meteor
