#pragma once

#include <string>
#include <string_view>

namespace meteor {

/// A text that a terminal only shows: control characters, which might move its cursor, change its title or answer for
/// the user, and bytes that are not UTF-8 are written as in C ("\x1b").
std::string printable(std::string_view text);

/// The same of JSON or TOML, which escape what is below a space themselves. Other control characters can be in their
/// strings only, and are written as "\u009b".
std::string printable_strings(std::string_view json_or_toml);

}  // namespace meteor
