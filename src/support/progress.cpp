#include "support/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "support/log.h"

namespace meteor {
namespace {

bool stderr_takes_control_characters() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - std::size_t{1} : 79;  // a full last column would wrap on some terminals
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// Guessed from the windows of this run; nothing when the end or the speed is unknown.
std::optional<double> seconds_left(const ProgressState& state, double elapsed) {
  if (!state.windows_total || state.windows <= state.windows_before || state.windows > *state.windows_total) return {};
  const auto done = static_cast<double>(state.windows - state.windows_before);
  return elapsed / done * static_cast<double>(*state.windows_total - state.windows);
}

}  // namespace

std::string progress_line(const ProgressState& state, double elapsed_seconds, std::size_t width) {
  std::string line = fmt::format("{}: {}", state.phase, state.windows);
  if (state.windows_total) line += fmt::format("/{}", *state.windows_total);
  line += fmt::format(" windows, {} records", state.records);
  if (elapsed_seconds > 0) {
    line += fmt::format(", {:.0f} records/s", static_cast<double>(state.records) / elapsed_seconds);
  }
  if (state.loss) line += fmt::format(", loss {:.4f}", *state.loss);
  if (const auto left = seconds_left(state, elapsed_seconds)) line += fmt::format(", {} left", clock_text(*left));
  if (line.size() > width) line.resize(width);
  return line;
}

bool ReportSchedule::due(double elapsed_seconds) {
  if (elapsed_seconds < next_) return false;
  next_ = elapsed_seconds + interval_;
  return true;
}

Progress::Progress()
    : terminal_(stderr_takes_control_characters()),
      schedule_(terminal_ ? ReportSchedule(0.2, 0.2) : ReportSchedule(10, 30)),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { end_status_line(); }

double Progress::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::update(const ProgressState& state) {
  last_ = state;
  const double now = elapsed();
  if (!schedule_.due(now)) return;
  if (!terminal_) {
    log_info("{}", progress_line(state, now, std::string::npos));
  } else if (!is_quiet()) {
    show_status_line(progress_line(state, now, terminal_width()));
  }
}

void Progress::finish() {
  if (terminal_ && last_ && !is_quiet()) show_status_line(progress_line(*last_, elapsed(), terminal_width()));
  last_.reset();
  end_status_line();
}

}  // namespace meteor
