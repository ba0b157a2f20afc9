#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace meteor {

/// The name that a mistyped `text` most likely meant, by edit distance; nothing when none is near.
std::optional<std::string> nearest_name(std::string_view text, std::span<const std::string> names);

}  // namespace meteor
