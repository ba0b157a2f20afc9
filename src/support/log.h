#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace meteor {

enum class LogLevel { info, warning, error };

/// Writes a line to stderr, "meteor: warning: ...", and to the log file if there is one. What a terminal would obey
/// instead of showing it, line breaks among it, is written out, and of more than 2000 bytes the middle is left out. May
/// be called from several threads.
void write_log(LogLevel level, std::string_view text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  write_log(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  write_log(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}
/// On stderr an error stands without a level word: "meteor: configs/a.toml:3: ...".
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  write_log(LogLevel::error, fmt::format(format, std::forward<Args>(args)...));
}

/// From here on every log line is also appended to `file`, with the time in UTC. Throws UsageError when it cannot be
/// written.
void open_log_file(const std::filesystem::path& file);

/// When quiet, stderr receives warnings and errors only; a log file still receives everything.
void set_quiet(bool quiet);
bool is_quiet();

/// While mute, nothing is written at all: of several processes that do the same, one speaks.
void mute_log(bool mute);

/// Replaces the last line of the terminal; a log line that comes in between pushes it down. Only for a stderr that is a
/// terminal.
void show_status_line(std::string_view line);
/// Leaves the status line standing, if there is one, and moves on to a fresh line.
void end_status_line();

}  // namespace meteor
