#include "support/printable.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

namespace meteor {
namespace {

bool controls(utf8proc_int32_t code_point) { return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0); }

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    const std::string_view character = text.substr(0, static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 1)));
    if (length > 0 && !controls(code_point)) {
      shown += character;
    } else {
      for (const char byte : character) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string printable_strings(std::string_view json_or_toml) {
  std::string shown;
  shown.reserve(json_or_toml.size());
  for (std::size_t i = 0; i < json_or_toml.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json_or_toml[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json_or_toml.size() ? json_or_toml[i + 1] : 0);
    if (byte == 0x7f) {
      shown += "\\u007f";
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F in UTF-8
      shown += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      shown += json_or_toml[i];
    }
  }
  return shown;
}

}  // namespace meteor
