#include "stream/time_parse.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "stream/text.h"

namespace meteor {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes exactly `count` digits from the front; nothing when there are fewer.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return {};
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return {};
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds east of UTC. The whole text must be a zone; an empty one is UTC.
std::optional<std::int64_t> parse_zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return {};
  const auto hours = take_digits(text, 2);
  if (!hours || *hours > 23) return {};
  std::optional<int> minutes = 0;
  if (!text.empty()) {
    take(text, ':');
    minutes = take_digits(text, 2);
  }
  if (!minutes || *minutes > 59 || !text.empty()) return {};
  return sign * (*hours * 3600 + *minutes * 60);
}

/// Seconds since midnight; the zone that follows is left in `text`.
std::optional<std::int64_t> take_clock(std::string_view& text) {
  const auto hours = take_digits(text, 2);
  if (!hours || *hours > 23 || !take(text, ':')) return {};
  const auto minutes = take_digits(text, 2);
  if (!minutes || *minutes > 59) return {};
  std::optional<int> seconds = 0;
  if (take(text, ':')) {
    seconds = take_digits(text, 2);
    if (!seconds || *seconds > 60) return {};  // 60: a leap second
    if (take(text, '.') || take(text, ',')) {
      if (!take_digits(text, 1)) return {};
      while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
    }
  }
  return *hours * 3600 + *minutes * 60 + *seconds;
}

std::optional<std::int64_t> parse_iso(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return {};
  const auto day = take_digits(text, 2);
  if (!day) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  const std::int64_t midnight = std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86400;
  if (text.empty()) return midnight;
  if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return {};
  const auto clock = take_clock(text);
  if (!clock) return {};
  const auto zone = parse_zone(text);
  if (!zone) return {};
  return midnight + *clock - *zone;
}

std::optional<std::int64_t> parse_unix(std::string_view text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, whole); error == std::errc() && stop == end)
    return whole;
  double seconds = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stop != end || !(std::abs(seconds) < 1e15)) return {};
  return static_cast<std::int64_t>(std::floor(seconds));
}

constexpr std::int64_t hours_a_week = 168;
using HourNames = std::array<std::string, hours_a_week>;

HourNames names_of_week() {
  constexpr std::array days{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  HourNames names;
  for (std::size_t hour = 0; hour < names.size(); ++hour)
    names[hour] = fmt::format("{}{:02}", days[hour / 24], hour % 24);
  return names;
}

HourNames names_of_day() {
  HourNames names;
  for (std::size_t hour = 0; hour < names.size(); ++hour) names[hour] = fmt::format("h{:02}", hour % 24);
  return names;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
  text = trimmed(text);
  auto time = parse_unix(text);
  if (!time) time = parse_iso(text);
  if (time && (*time < earliest_time || *time > latest_time)) return {};
  return time;
}

std::string_view hour_name(TimeKind kind, std::int64_t time) {
  static const HourNames of_day = names_of_day();
  static const HourNames of_week = names_of_week();
  constexpr std::int64_t epoch_hour = 72;  // 1970 began on a Thursday
  std::int64_t hour = (time - (time % 3600 + 3600) % 3600) / 3600 % hours_a_week + epoch_hour + hours_a_week;
  const auto index = static_cast<std::size_t>(hour % hours_a_week);
  return kind == TimeKind::hour_of_day ? of_day[index] : of_week[index];
}

}  // namespace meteor
