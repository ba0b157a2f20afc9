#include "config/text_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace meteor {
namespace {

constexpr std::int64_t longest_duration = std::int64_t{36525} * 86400;

struct TimeUnit {
  std::string_view name;  ///< the plural adds an s
  std::string_view abbreviation;
  std::int64_t seconds;
};
constexpr std::array<TimeUnit, 5> time_units = {
    {{"week", "w", 604800}, {"day", "d", 86400}, {"hour", "h", 3600}, {"minute", "min", 60}, {"second", "s", 1}}};

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;

struct ByteUnit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<ByteUnit, 7> byte_units = {{{"GiB", std::uint64_t{1} << 30},
                                                 {"MiB", std::uint64_t{1} << 20},
                                                 {"KiB", std::uint64_t{1} << 10},
                                                 {"GB", 1000000000},
                                                 {"MB", 1000000},
                                                 {"KB", 1000},
                                                 {"bytes", 1}}};

bool is_word(std::string_view text, std::string_view singular) {
  return text == singular || (text.size() == singular.size() + 1 && text.starts_with(singular) && text.back() == 's');
}

template <class Number>
struct Quantity {
  Number number;
  std::string_view unit;
};

template <class Number>
std::optional<Quantity<Number>> parse_quantity(std::string_view text) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{}) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return Quantity<Number>{number, text};
}

/// "1000 records", "20 windows": a positive count of things.
std::optional<std::uint64_t> parse_count(std::string_view text, std::string_view thing) {
  const auto quantity = parse_quantity<std::uint64_t>(text);
  if (!quantity || quantity->number == 0 || !is_word(quantity->unit, thing)) return {};
  return quantity->number;
}

std::string count_text(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const auto quantity = parse_quantity<std::int64_t>(text);
  if (!quantity || quantity->number <= 0) return {};
  for (const TimeUnit& unit : time_units) {
    if (quantity->unit != unit.abbreviation && !is_word(quantity->unit, unit.name)) continue;
    if (quantity->number > longest_duration / unit.seconds) return {};
    return Duration{quantity->number * unit.seconds};
  }
  return {};
}

std::string to_text(Duration duration) {
  const auto unit = std::find_if(time_units.begin(), time_units.end() - 1,
                                 [&](const TimeUnit& candidate) { return duration.seconds % candidate.seconds == 0; });
  return count_text(duration.seconds / unit->seconds, unit->name);
}

std::optional<WindowLength> parse_window_length(std::string_view text) {
  if (const auto records = parse_count(text, "record")) return RecordCount{*records};
  if (const auto duration = parse_duration(text)) return *duration;
  return {};
}

std::string to_text(const WindowLength& length) {
  if (const auto* records = std::get_if<RecordCount>(&length)) return fmt::format("{} records", records->records);
  return to_text(std::get<Duration>(length));
}

std::optional<PretrainingSpan> parse_pretraining_span(std::string_view text) {
  if (const auto windows = parse_count(text, "window")) return WindowCount{*windows};
  if (const auto duration = parse_duration(text)) return *duration;
  return {};
}

std::optional<Budget> parse_budget(std::string_view text) {
  if (const auto percent = parse_quantity<double>(text); percent && percent->unit == "%") {
    if (!(percent->number > 0 && percent->number <= 100)) return {};
    return Percent{percent->number};
  }
  const auto bytes = parse_quantity<std::uint64_t>(text);
  if (!bytes || bytes->number == 0) return {};
  for (const ByteUnit& unit : byte_units) {
    if (bytes->unit != unit.name) continue;
    if (bytes->number > most_bytes / unit.bytes) return {};
    return ByteCount{bytes->number * unit.bytes};
  }
  return {};
}

std::string to_text(const Budget& budget) {
  if (const auto* percent = std::get_if<Percent>(&budget)) return fmt::format("{} %", percent->percent);
  const std::uint64_t bytes = std::get<ByteCount>(budget).bytes;
  const auto unit = std::find_if(byte_units.begin(), byte_units.end() - 1,
                                 [&](const ByteUnit& candidate) { return bytes % candidate.bytes == 0; });
  return fmt::format("{} {}", bytes / unit->bytes, unit->name);
}

std::optional<double> parse_grid(std::string_view text) {
  const auto quantity = parse_quantity<double>(text);
  if (!quantity || (quantity->unit != "m" && quantity->unit != "km")) return {};
  const double metres = quantity->unit == "km" ? quantity->number * 1000 : quantity->number;
  if (!(metres >= 1 && metres <= 1e6)) return {};
  return metres;
}

std::string grid_text(double metres) { return fmt::format("{} m", metres); }

}  // namespace meteor
