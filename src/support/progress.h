#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace meteor {

/// How far a run is. Unknown values are left out of what is shown.
struct ProgressState {
  std::string phase;  ///< "pretraining", "streaming"
  std::uint64_t windows = 0;
  std::uint64_t windows_before = 0;  ///< of `windows`, those of an earlier run: they say nothing about this one's speed
  std::optional<std::uint64_t> windows_total;
  std::uint64_t records = 0;  ///< of this run
  std::optional<double> loss;
};

/// "streaming: 12/40 windows, 34567 records, 8123 records/s, loss 0.4321, 0:01:30 left", cut to `width` characters.
std::string progress_line(const ProgressState& state, double elapsed_seconds, std::size_t width);

/// Says when the next line is due: first after `first` seconds, then every `interval` seconds.
class ReportSchedule {
 public:
  ReportSchedule(double first, double interval) : next_(first), interval_(interval) {}
  /// True at most once for each due line; lines that were missed are not made up for.
  bool due(double elapsed_seconds);

 private:
  double next_;
  double interval_;
};

/// Shows the user how far a run is: one line that overwrites itself where stderr is a terminal, else a log line now and
/// then. Updates cost a look at the clock, so one may follow every batch of records.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const ProgressState& state);
  /// Shows the last state and leaves the cursor on a fresh line. Idempotent.
  void finish();

 private:
  double elapsed() const;

  bool terminal_;
  ReportSchedule schedule_;
  std::chrono::steady_clock::time_point start_;
  std::optional<ProgressState> last_;
};

}  // namespace meteor
