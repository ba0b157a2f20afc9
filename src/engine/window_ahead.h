#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/categories.h"
#include "engine/expiry.h"
#include "engine/window_feed.h"
#include "learning/shard.h"
#include "stream/rejects.h"

namespace meteor {

/// A window ready to be learnt, and what had become of the stream when it was complete.
struct ReadWindow {
  Window window;
  WindowUnits units;
  std::vector<CategoryKey> new_categories;  ///< of the units that it holds first, in the order of their ids
  StreamPosition end;
  std::int64_t first_begin = 0;                 ///< of the first window that was read
  std::uint64_t next_number = 0;                ///< of the window after it
  std::vector<Vocabulary::Sighting> sightings;  ///< that it brought, of units that are not yet admitted
  std::uint64_t reject_bytes = 0;               ///< of the file of rejects
  SkippedRecords skipped;
  bool forgets = false;  ///< units may be forgotten after it: nothing is read before the next window is asked for
};

/// Reads a stream in a thread of its own, one window ahead of who learns it. While it lives, what it is given belongs
/// to that thread, but for the time between a window after which units are forgotten and the call of next() after it.
class WindowAhead {
 public:
  /// `expiry` is the state before the first window.
  WindowAhead(WindowFeed& feed, Vocabulary& vocabulary, Rejects& rejects, const Categories& categories,
              std::optional<Duration> expire = {}, Expiry expiry = {});
  /// Abandons what has been read ahead. The source must notice `stopping` if it can wait for long.
  ~WindowAhead();
  WindowAhead(const WindowAhead&) = delete;
  WindowAhead& operator=(const WindowAhead&) = delete;

  /// The next window; none at the end of the stream. Throws what reading threw.
  std::optional<ReadWindow> next();

 private:
  void read_all();
  std::optional<ReadWindow> read_one();

  WindowFeed& feed_;
  Vocabulary& vocabulary_;
  Rejects& rejects_;
  const Categories& categories_;
  std::optional<Duration> expire_;
  Expiry expiry_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ReadWindow> ready_;
  bool asked_ = false;  // for the next window
  bool ended_ = false;
  bool abandoned_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace meteor
