#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace meteor {

enum class ElementType : std::uint8_t { u8, u16, u32, u64, f32 };

template <class T>
constexpr ElementType element_type();
template <>
constexpr ElementType element_type<std::uint8_t>() {
  return ElementType::u8;
}
template <>
constexpr ElementType element_type<std::uint16_t>() {
  return ElementType::u16;
}
template <>
constexpr ElementType element_type<std::uint32_t>() {
  return ElementType::u32;
}
template <>
constexpr ElementType element_type<std::uint64_t>() {
  return ElementType::u64;
}
template <>
constexpr ElementType element_type<float>() {
  return ElementType::f32;
}
std::size_t element_bytes(ElementType type);

/// Whether an array counts as memory that a deployed model needs, or only serves people (names, counts).
enum class Purpose : std::uint8_t { decoding, description };

/// A named, typed block of numbers: the one form in which a model is written, hashed and counted. `data` belongs to
/// `owner`, or to the model that the array describes, and is valid while that lives unchanged.
struct Array {
  std::string name;
  ElementType type = ElementType::u8;
  std::vector<std::uint64_t> shape;
  const void* data = nullptr;
  Purpose purpose = Purpose::decoding;
  std::shared_ptr<const void> owner = nullptr;

  std::uint64_t elements() const;
  std::uint64_t bytes() const { return elements() * element_bytes(type); }
  bool is_matrix(std::uint64_t rows, std::uint64_t columns) const {
    return shape == std::vector<std::uint64_t>{rows, columns};
  }

  /// The values, if they are of type T.
  template <class T>
  std::span<const T> as() const {
    if (type != element_type<T>()) throw StorageError("array " + name + " has another element type than expected");
    return {static_cast<const T*>(data), static_cast<std::size_t>(elements())};
  }
};

/// An array that looks at values of the model.
template <class T>
Array view_array(std::string name, std::span<const T> values, Purpose purpose = Purpose::decoding) {
  return {std::move(name), element_type<T>(), {values.size()}, values.data(), purpose, nullptr};
}

/// An array that keeps its values.
template <class T>
Array own_array(std::string name, std::vector<T> values, Purpose purpose = Purpose::decoding) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return {std::move(name), element_type<T>(), {owner->size()}, owner->data(), purpose, owner};
}

/// The array, with a copy of the values if it only looked at them.
Array owned(Array array);

/// The array of that name; throws if there is none.
const Array& find_array(std::span<const Array> arrays, std::string_view name);

/// The bytes of the arrays that decoding needs.
std::uint64_t decoding_bytes(std::span<const Array> arrays);

/// SHA-256 over names, types, shapes and values, in hexadecimal.
std::string content_hash(std::span<const Array> arrays);

/// The bytes of all values.
std::uint64_t total_bytes(std::span<const Array> arrays);

}  // namespace meteor
