#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace meteor {

// Quantities as users write them: a number, an optional space and a unit. Parsing what `to_text` gave returns the same
// value.

/// "90 s", "30 minutes", "6 hours", "1 day", "2 weeks"; at most a hundred years, so that sums with timestamps stay
/// small.
std::optional<Duration> parse_duration(std::string_view text);
std::string to_text(Duration duration);

/// "1000 records" or a duration.
std::optional<WindowLength> parse_window_length(std::string_view text);
std::string to_text(const WindowLength& length);

/// "20 windows" or a duration. The third form, a share of the stream, is a plain number.
std::optional<PretrainingSpan> parse_pretraining_span(std::string_view text);

/// "10 %", above 0 and at most 100, or a whole number of bytes, "64 MiB" or "500 KB"; at most 2⁶⁰ of them.
std::optional<Budget> parse_budget(std::string_view text);
std::string to_text(const Budget& budget);

/// "300 m" or "1.5 km", in metres; from 1 m to 1000 km.
std::optional<double> parse_grid(std::string_view text);
std::string grid_text(double metres);

}  // namespace meteor
