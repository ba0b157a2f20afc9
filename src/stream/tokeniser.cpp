#include "stream/tokeniser.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "stream/stop_words.h"
#include "stream/text.h"

namespace meteor {
namespace {

constexpr std::size_t longest_word = 64;  // in characters

enum class Kind : std::uint8_t { other, letter, digit, mark, apostrophe };

struct Character {
  Kind kind;
  std::uint8_t bytes;
  std::int32_t lower;  ///< the code point in lower case
};

constexpr std::array<Character, 128> ascii = [] {
  std::array<Character, 128> table{};
  for (std::int32_t c = 0; c < 128; ++c) {
    Character& entry = table[static_cast<std::size_t>(c)];
    entry = {Kind::other, 1, c};
    if (c >= '0' && c <= '9') entry.kind = Kind::digit;
    if (c >= 'a' && c <= 'z') entry.kind = Kind::letter;
    if (c >= 'A' && c <= 'Z') entry = {Kind::letter, 1, c - 'A' + 'a'};
    if (c == '\'') entry.kind = Kind::apostrophe;
  }
  return table;
}();

Kind kind_of(utf8proc_int32_t code_point) {
  constexpr utf8proc_int32_t typographic_apostrophe = 0x2019;
  constexpr utf8proc_int32_t modifier_apostrophe = 0x02BC;
  if (code_point == typographic_apostrophe || code_point == modifier_apostrophe) return Kind::apostrophe;
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Kind::letter;
    case UTF8PROC_CATEGORY_ND:
      return Kind::digit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
      return Kind::mark;
    default:
      return Kind::other;
  }
}

Character read_character(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return ascii[byte];
  utf8proc_int32_t code_point = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                                   static_cast<utf8proc_ssize_t>(text.size() - at), &code_point);
  if (length <= 0) return {Kind::other, 1, 0};
  return {kind_of(code_point), static_cast<std::uint8_t>(length), utf8proc_tolower(code_point)};
}

void append(std::int32_t code_point, std::string& storage) {
  if (code_point < 0x80) {
    storage += static_cast<char>(code_point);
    return;
  }
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(code_point, bytes);
  storage.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

bool starts_url(std::string_view text) {
  const auto starts_with = [text](std::string_view prefix) {
    if (text.size() < prefix.size()) return false;
    return std::equal(prefix.begin(), prefix.end(), text.begin(), [](char wanted, char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x80 && ascii[byte].lower == wanted;
    });
  };
  return starts_with("http://") || starts_with("https://") || starts_with("www.");
}

std::size_t skip_to_space(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_space(text[at])) ++at;
  return at;
}

bool is_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '_' || (byte < 0x80 && (ascii[byte].kind == Kind::letter || ascii[byte].kind == Kind::digit));
}

std::size_t skip_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name(text[at])) ++at;
  return at;
}

struct Word {
  std::size_t end = 0;  ///< in the text
  std::size_t characters = 0;
  bool has_letter = false;
};

/// Appends the word that starts at `at` (a letter or digit) to the storage.
Word take_word(std::string_view text, std::size_t at, std::string& storage) {
  Word word;
  while (at < text.size()) {
    const Character c = read_character(text, at);
    if (c.kind == Kind::other) break;
    at += c.bytes;
    if (c.kind == Kind::apostrophe) continue;
    word.has_letter |= c.kind == Kind::letter;
    ++word.characters;
    append(c.lower, storage);
  }
  word.end = at;
  return word;
}

}  // namespace

void append_words(std::string_view text, std::string& storage, std::vector<std::string_view>& words) {
  assert(storage.capacity() - storage.size() >= 2 * text.size());
  bool after_word = false;  // "bob@example.org" mentions nobody
  for (std::size_t at = 0; at < text.size();) {
    const Character c = read_character(text, at);
    if (c.kind != Kind::letter && c.kind != Kind::digit) {
      at += c.bytes;
      if (c.lower == '@' && !after_word) at = skip_name(text, at);
      after_word = false;
      continue;
    }
    if ((c.lower == 'h' || c.lower == 'w') && starts_url(text.substr(at))) {
      at = skip_to_space(text, at);
      continue;
    }
    const std::size_t start = storage.size();
    const Word word = take_word(text, at, storage);
    at = word.end;
    after_word = true;
    const std::string_view name = std::string_view(storage).substr(start);
    const bool kept = word.has_letter && word.characters > 1 && word.characters <= longest_word && !is_stop_word(name);
    if (kept)
      words.push_back(name);
    else
      storage.resize(start);
  }
}

}  // namespace meteor
