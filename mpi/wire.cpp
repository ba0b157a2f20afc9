#include "mpi/wire.h"

#include <cstring>
#include <limits>

#include "mpi/encoding.h"

namespace meteor {

namespace {

constexpr std::uint64_t magic = 0x326d7465'6f72776dULL;  // changes when heads do
constexpr std::size_t most_structure_bytes = std::size_t{1} << 30;

/// All of an array but its values.
struct Label {
  std::string name;
  std::uint8_t type = 0;
  std::uint8_t purpose = 0;
  std::vector<std::uint64_t> shape;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& name& type& purpose& shape;
  }
};

struct Description {
  std::uint32_t kind = 0;
  bool to_all = false;
  std::string structure;
  std::vector<Label> labels;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& kind& to_all& structure& labels;
  }
};

[[noreturn]] void refuse(const std::string& reason) { throw TransportError("a message cannot be read: " + reason); }

/// The bytes of an array with that label.
std::uint64_t checked_bytes(const Label& label) {
  if (label.type > static_cast<std::uint8_t>(ElementType::f32)) refuse("it has an array of unknown type");
  if (label.purpose > static_cast<std::uint8_t>(Purpose::description)) refuse("it has an array of unknown purpose");
  std::uint64_t bytes = element_bytes(static_cast<ElementType>(label.type));
  for (const std::uint64_t extent : label.shape) {
    if (extent > 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) refuse("an array is too large");
    bytes *= extent;
  }
  return bytes;
}

/// Takes a number from the front.
std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  if (bytes.size() < sizeof number) refuse("it is too short");
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

void append_number(std::uint64_t number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

std::string encode_head(const Message& message) {
  if (message.structure.size() > most_structure_bytes)
    throw TransportError("the structure of a message is too large to be sent");
  Description description{static_cast<std::uint32_t>(message.kind), message.to_all, message.structure, {}};
  for (const Array& array : message.arrays) {
    description.labels.push_back(
        {array.name, static_cast<std::uint8_t>(array.type), static_cast<std::uint8_t>(array.purpose), array.shape});
  }
  const std::string encoded = encode(description);
  std::string head;
  append_number(magic, head);
  append_number(encoded.size(), head);
  head += encoded;
  if (total_bytes(message.arrays) > most_bytes_in_head) return head;
  for (const Array& array : message.arrays)
    if (array.bytes() > 0) head.append(static_cast<const char*>(array.data), array.bytes());
  return head;
}

Head decode_head(std::string_view bytes) {
  if (take_number(bytes) != magic) refuse("it is none of ours, or comes from another version of the program");
  const std::uint64_t description_bytes = take_number(bytes);
  if (description_bytes > bytes.size()) refuse("its length is wrong");
  auto description = decode<Description>(std::string(bytes.substr(0, description_bytes)));
  bytes.remove_prefix(description_bytes);
  Head head{{static_cast<MessageKind>(description.kind), std::move(description.structure), {}, description.to_all},
            true,
            bytes};
  std::uint64_t value_bytes = 0;
  for (Label& label : description.labels) {
    const std::uint64_t added = checked_bytes(label);
    if (added > std::numeric_limits<std::uint64_t>::max() - value_bytes) refuse("its arrays are too large");
    value_bytes += added;
    head.message.arrays.push_back({std::move(label.name), static_cast<ElementType>(label.type), std::move(label.shape),
                                   nullptr, static_cast<Purpose>(label.purpose), nullptr});
  }
  head.has_values = value_bytes <= most_bytes_in_head;
  if (bytes.size() != (head.has_values ? value_bytes : 0)) refuse("its length is wrong");
  return head;
}

}  // namespace meteor
