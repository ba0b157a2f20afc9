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

}  // namespace meteor
