#include "stream/text.h"

#include <utf8proc.h>

namespace meteor {
namespace {

/// True when every byte is between 1 and 127. A loop without branches, which compilers turn into vector instructions.
bool plain_ascii(std::string_view text) {
  unsigned char high_bits = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    high_bits |= static_cast<unsigned char>(byte | static_cast<unsigned char>(byte - 1));
  }
  return high_bits < 0x80;
}

}  // namespace

std::string_view text_fault(std::string_view text) {
  if (plain_ascii(text)) return {};
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(at, left, &code_point);
    if (length <= 0) return "invalid UTF-8";
    if (code_point == 0) return "a NUL character";
    at += length;
    left -= length;
  }
  return {};
}

}  // namespace meteor
