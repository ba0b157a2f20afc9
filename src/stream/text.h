#pragma once

#include <cstddef>
#include <string_view>

namespace meteor {

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Without white space (of ASCII) at either end.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// What makes a text unusable as names of units: "invalid UTF-8" or "a NUL character". Empty when nothing does.
std::string_view text_fault(std::string_view text);

/// Calls `take` for each part of `text` between separators (one or more characters): trimmed, never empty.
template <class Take>
void for_each_part(std::string_view text, std::string_view separator, Take&& take) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t found = separator.size() == 1 ? text.find(separator.front(), begin) : text.find(separator, begin);
    const std::string_view part = trimmed(text.substr(begin, found - begin));
    if (!part.empty()) take(part);
    if (found == std::string_view::npos) return;
    begin = found + separator.size();
  }
}

}  // namespace meteor
