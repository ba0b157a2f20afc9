#include "model/array.h"

#include <fmt/format.h>

#include <cstring>

#include "support/hash.h"

namespace meteor {

std::size_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return 1;
    case ElementType::u16:
      return 2;
    case ElementType::u32:
      return 4;
    case ElementType::u64:
      return 8;
    case ElementType::f32:
      return 4;
  }
  return 0;
}

std::uint64_t Array::elements() const {
  std::uint64_t product = 1;
  for (std::uint64_t extent : shape) product *= extent;
  return product;
}

Array owned(Array array) {
  if (array.owner) return array;
  auto copy = std::make_shared<std::vector<std::byte>>(array.bytes());
  if (!copy->empty()) std::memcpy(copy->data(), array.data, copy->size());
  array.data = copy->data();
  array.owner = std::move(copy);
  return array;
}

const Array& find_array(std::span<const Array> arrays, std::string_view name) {
  for (const Array& array : arrays) {
    if (array.name == name) return array;
  }
  throw StorageError(fmt::format("the model has no array {}", name));
}

std::uint64_t decoding_bytes(std::span<const Array> arrays) {
  std::uint64_t sum = 0;
  for (const Array& array : arrays) {
    if (array.purpose == Purpose::decoding) sum += array.bytes();
  }
  return sum;
}

std::string content_hash(std::span<const Array> arrays) {
  Sha256 hash;
  for (const Array& array : arrays) {
    const std::string head =
        fmt::format("{}:{}:{}\n", array.name, static_cast<int>(array.type), fmt::join(array.shape, "x"));
    hash.update(head.data(), head.size());
    hash.update(array.data, array.bytes());
  }
  return hash.hex();
}

std::uint64_t total_bytes(std::span<const Array> arrays) {
  std::uint64_t sum = 0;
  for (const Array& array : arrays) sum += array.bytes();
  return sum;
}

}  // namespace meteor
