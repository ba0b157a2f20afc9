#pragma once

#include <string>
#include <string_view>

namespace meteor {

/// A text that a terminal only shows: control characters, which might move its cursor, change its title or answer for
/// the user, and bytes that are not UTF-8 are written as in C ("\x1b").
std::string printable(std::string_view text);

}  // namespace meteor
