#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/crew.h"
#include "engine/window_ahead.h"
#include "evaluation/retrieval.h"
#include "support/phases.h"

namespace meteor {

/// What learning one window did.
struct WindowReport {
  std::uint64_t window = 0;
  std::int64_t begin = 0;
  bool pretraining = false;
  std::uint64_t records = 0;
  std::uint64_t new_units = 0;
  std::uint64_t expired = 0;  ///< units that were forgotten after it
  std::uint64_t unit_steps = 0;
  std::uint32_t shards = 0;
  double loss = 0;               ///< mean of Eq. 3 over the units of the last epoch
  double compression_error = 0;  ///< share of the energy that compression lost; with staleness, of the window before
  bool refitted = false;         ///< axes and bits were fitted anew
  double imbalance = 1;
  Traffic traffic;  ///< of this window
  PhaseSeconds seconds;
  double elapsed = 0;    ///< seconds from the end of the window before, or the start, to the end of this one
  RetrievalScore score;  ///< if the window was tested
};

/// How much memory what has been learnt takes.
struct ModelSize {
  std::uint64_t bytes = 0;       ///< of a deployed model
  std::uint64_t full_bytes = 0;  ///< of the same units as full embeddings
  double bytes_per_new_unit = 0;
};

/// Whoever learns a stream, window by window.
class StreamLearner {
 public:
  virtual ~StreamLearner() = default;

  /// Learns a window, after testing it if asked to. Throws NotFinite or NumericError. Throws Abandoned soon after
  /// `abandon` says true, unless the window cannot be given up any more; the model is then what it was before, and no
  /// other window may be learnt.
  virtual WindowReport learn(const ReadWindow& read, bool asks, const std::function<bool()>& abandon) = 0;
  /// Ends pretraining, if it has not ended yet.
  virtual void compress() = 0;
  /// Makes what has been learnt ready for use.
  virtual void catch_up() = 0;
  /// Forgets the units that no window from this one on held, after taking over a window that waits. Returns what they
  /// were called, ascending; the others move up to take their numbers. Tells of it in the report of the last window.
  virtual std::vector<UnitId> forget_unseen(std::uint64_t first_window, WindowReport& report) = 0;

  virtual std::size_t units() const = 0;
  virtual ModelSize size() const = 0;
};

/// A report of the window, with nothing learnt yet.
inline WindowReport report_of(const ReadWindow& read) {
  WindowReport report;
  report.window = read.window.number;
  report.begin = read.window.begin;
  report.records = read.window.records();
  report.new_units = read.new_categories.size();
  return report;
}

}  // namespace meteor
