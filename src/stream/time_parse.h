#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace meteor {

/// The longest span that times may have: from the year -9999 to the year 9999.
inline constexpr std::int64_t earliest_time = -377705116800;
inline constexpr std::int64_t latest_time = 253402300799;

/// Seconds since 1970 (UTC) from Unix seconds ("1291191960", "1291191960.5"; fractions are floored) or from ISO 8601
/// ("2011-03-01", "2011-03-01T12:00:00Z", with a blank for the T, a fraction of a second, an offset such as +01:00 or
/// +0100; without a zone it is UTC). A text of digits alone is always Unix seconds. Nothing when it is neither or out
/// of range.
std::optional<std::int64_t> parse_time(std::string_view text);

/// The name of the hour of a time (UTC): "h13" for an hour of the day, "mon13" for one of the week. Not for
/// TimeKind::none.
std::string_view hour_name(TimeKind kind, std::int64_t time);

}  // namespace meteor
