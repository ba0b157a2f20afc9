#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/array.h"

namespace meteor::fuzz {

/// Reads an input as a list of edits. A fuzzer seldom finds a valid model by itself; what it finds are changes to one.
class Edits {
 public:
  explicit Edits(std::string_view input) : left_(input) {}

  bool any() const { return !left_.empty(); }
  /// The next number, of so many bytes; missing ones are 0.
  template <class Number>
  Number next() {
    Number number{};
    const std::size_t count = std::min(sizeof number, left_.size());
    if (count > 0) std::memcpy(&number, left_.data(), count);
    left_.remove_prefix(count);
    return number;
  }

  /// Changes some bytes of a text.
  void apply(std::string& text) {
    const auto place = next<std::uint16_t>();
    const auto value = next<std::uint64_t>();
    if (text.empty()) return;
    const std::size_t at = place % text.size();
    std::memcpy(text.data() + at, &value, std::min(sizeof value, text.size() - at));
  }

  /// Changes a value, the shape, the type or the name of one of the arrays, or which there are.
  void apply(std::vector<Array>& arrays) {
    if (arrays.empty()) return;
    const std::size_t which = next<std::uint8_t>() % arrays.size();
    Array& array = arrays[which];
    switch (next<std::uint8_t>() % 8) {
      case 0:
        resize(array, next<std::uint8_t>() % 2, next<std::uint16_t>());
        break;
      case 1:
        retype(array, static_cast<ElementType>(next<std::uint8_t>() % 5));
        break;
      case 2:
        arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(which));
        break;
      case 3:
        std::swap(array, arrays[next<std::uint8_t>() % arrays.size()]);
        break;
      default:
        set_value(array, next<std::uint16_t>(), next<std::uint64_t>());
    }
  }

 private:
  static void replace(Array& array, std::vector<std::uint8_t> bytes) {
    auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
    array.data = owner->data();
    array.owner = owner;
  }
  static std::vector<std::uint8_t> bytes_of(const Array& array) {
    const auto* const begin = static_cast<const std::uint8_t*>(array.data);
    return {begin, begin + array.bytes()};
  }
  static void set_value(Array& array, std::size_t place, std::uint64_t value) {
    if (array.elements() == 0) return;
    std::vector<std::uint8_t> bytes = bytes_of(array);
    const std::size_t size = element_bytes(array.type);
    std::memcpy(bytes.data() + place % array.elements() * size, &value, size);
    replace(array, std::move(bytes));
  }
  static void retype(Array& array, ElementType type) {
    std::vector<std::uint8_t> bytes = bytes_of(array);
    array.type = type;
    bytes.resize(array.bytes());
    replace(array, std::move(bytes));
  }
  static void resize(Array& array, std::size_t axis, std::uint64_t extent) {
    if (axis >= array.shape.size()) return;
    std::vector<std::uint8_t> bytes = bytes_of(array);
    array.shape[axis] = extent % 512;
    bytes.resize(array.bytes());
    replace(array, std::move(bytes));
  }

  std::string_view left_;
};

}  // namespace meteor::fuzz
