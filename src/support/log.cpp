#include "support/log.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <system_error>

#include "support/error.h"
#include "support/line_file.h"
#include "support/printable.h"

namespace meteor {
namespace {

constexpr std::string_view erase_line = "\r\x1b[K";
constexpr std::size_t kLongestLine = 2000;  // bytes

/// "%*" in the pattern of stderr: only a warning is called by its name.
class WarningWord : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    constexpr std::string_view word = "warning: ";
    if (message.level == spdlog::level::warn) out.append(word.data(), word.data() + word.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<WarningWord>(); }
};

struct Log {
  std::mutex mutex;
  bool quiet = false;
  bool mute = false;
  bool status_shown = false;
  std::shared_ptr<spdlog::sinks::stderr_sink_mt> terminal = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  spdlog::logger logger{"meteor", terminal};

  Log() {
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<WarningWord>('*').set_pattern("meteor: %*%v");
    terminal->set_formatter(std::move(formatter));
    logger.flush_on(spdlog::level::info);
  }
};

Log& the_log() {
  static Log log;
  return log;
}

/// A line as it is written: of one that quotes too much, such as a header of a thousand columns, the beginning, which
/// tells where it is from, and the end, which tells what to do.
std::string legible(std::string_view line) {
  std::string text = printable(line);
  if (text.size() <= kLongestLine) return text;
  const auto within_character = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::size_t left = kLongestLine / 2;
  while (within_character(left)) --left;
  std::size_t right = text.size() - kLongestLine / 2;
  while (within_character(right)) ++right;
  return fmt::format("{} [{} bytes] {}", text.substr(0, left), right - left, text.substr(right));
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

/// Every line with its time. A disk that is full costs lines, not the run: stderr tells of it once.
class FileSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit FileSink(const std::filesystem::path& path) : path_(path), file_(path) {
    set_formatter(
        std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const int reason = file_.append({line.data(), line.size()});
    if (reason != 0 && !lost_) {
      print(fmt::format("meteor: warning: {} cannot be written: {}; messages are missing from this one on: {}\n",
                        path_.string(), std::generic_category().message(reason), message.payload));
    }
    lost_ = reason != 0;
  }
  void flush_() override {}

  std::filesystem::path path_;
  LineFile file_;
  bool lost_ = false;
};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

void write_log(LogLevel level, std::string_view text) {
  Log& log = the_log();
  const std::scoped_lock lock(log.mutex);
  if (log.mute) return;
  if (log.status_shown) print(erase_line);
  log.status_shown = false;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  log.logger.log(spdlog_level(level), legible(text));
}

void open_log_file(const std::filesystem::path& file) {
  Log& log = the_log();
  const std::scoped_lock lock(log.mutex);
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  try {
    log.logger.sinks().push_back(std::make_shared<FileSink>(file));
  } catch (const Error& fault) {
    throw UsageError(fmt::format("the log: {}", fault.what()));
  }
}

void set_quiet(bool quiet) {
  Log& log = the_log();
  const std::scoped_lock lock(log.mutex);
  log.quiet = quiet;
  log.terminal->set_level(quiet ? spdlog::level::warn : spdlog::level::info);
}

bool is_quiet() {
  Log& log = the_log();
  const std::scoped_lock lock(log.mutex);
  return log.quiet;
}

void mute_log(bool mute) {
  Log& log = the_log();
  const std::scoped_lock lock(log.mutex);
  log.mute = mute;
}

void show_status_line(std::string_view line) {
  Log& log = the_log();
  const std::scoped_lock lock(log.mutex);
  print(fmt::format("{}{}", erase_line, line));
  log.status_shown = true;
}

void end_status_line() {
  Log& log = the_log();
  const std::scoped_lock lock(log.mutex);
  if (log.status_shown) print("\n");
  log.status_shown = false;
}

}  // namespace meteor
