#include "mpi/wire.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include "mpi/encoding.h"

namespace meteor {
namespace {

constexpr std::uint32_t magic = 0x6d74656f;
constexpr std::uint32_t version = 1;
constexpr std::size_t most_header_bytes = std::size_t{1} << 30;

struct Envelope {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t from;
  std::uint32_t route;
  std::uint64_t number;
  std::uint32_t kind;
  std::uint32_t arrays;
  std::uint64_t header_bytes;
  std::uint64_t value_bytes;  // of all arrays
};
static_assert(std::is_trivially_copyable_v<Envelope> && sizeof(Envelope) == 48);

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

struct Header {
  std::string structure;
  std::vector<Label> labels;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& structure& labels;
  }
};

[[noreturn]] void refuse(const std::string& reason) { throw TransportError("a message cannot be read: " + reason); }

/// The bytes of an array with that label, which are at most `most`.
std::uint64_t checked_bytes(const Label& label, std::uint64_t most) {
  if (label.type > static_cast<std::uint8_t>(ElementType::f32)) refuse("it has an array of unknown type");
  if (label.purpose > static_cast<std::uint8_t>(Purpose::description)) refuse("it has an array of unknown purpose");
  std::uint64_t bytes = element_bytes(static_cast<ElementType>(label.type));
  for (const std::uint64_t extent : label.shape) {
    if (extent > 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) refuse("an array is too large");
    bytes *= extent;
  }
  if (bytes > most) refuse("its arrays are larger than announced");
  return bytes;
}

Header decode_header(std::string_view bytes) {
  try {
    return decode<Header>(std::string(bytes));
  } catch (const TransportError&) {
    refuse("its header is damaged");
  }
}

}  // namespace

std::string encode_head(const Packet& packet) {
  const Message& message = packet.message;
  Header header{message.structure, {}};
  for (const Array& array : message.arrays) {
    header.labels.push_back(
        {array.name, static_cast<std::uint8_t>(array.type), static_cast<std::uint8_t>(array.purpose), array.shape});
  }
  const std::uint64_t value_bytes = total_bytes(message.arrays);
  const std::string encoded = encode(header);
  if (encoded.size() > most_header_bytes) throw TransportError("the structure of a message is too large to be sent");

  const Envelope envelope{magic,
                          version,
                          packet.from,
                          static_cast<std::uint32_t>(packet.route),
                          packet.number,
                          static_cast<std::uint32_t>(message.kind),
                          static_cast<std::uint32_t>(message.arrays.size()),
                          encoded.size(),
                          value_bytes};
  std::string head(reinterpret_cast<const char*>(&envelope), sizeof envelope);
  head += encoded;
  if (value_bytes <= most_bytes_in_head)
    for (const Array& array : message.arrays)
      if (array.bytes() > 0) head.append(static_cast<const char*>(array.data), array.bytes());
  return head;
}

Head decode_head(std::string_view bytes) {
  Envelope envelope{};
  if (bytes.size() < sizeof envelope) refuse("it is too short");
  std::memcpy(&envelope, bytes.data(), sizeof envelope);
  bytes.remove_prefix(sizeof envelope);
  if (envelope.magic != magic) refuse("it is none of ours");
  if (envelope.version != version) refuse("it comes from another version of the program");
  if (envelope.route > static_cast<std::uint32_t>(Route::heartbeat)) refuse("it has an unknown route");
  const bool has_values = envelope.value_bytes <= most_bytes_in_head;
  if (envelope.header_bytes > bytes.size() ||
      bytes.size() - envelope.header_bytes != (has_values ? envelope.value_bytes : 0))
    refuse("its length is wrong");

  Header header = decode_header(bytes.substr(0, envelope.header_bytes));
  if (header.labels.size() != envelope.arrays) refuse("its number of arrays is wrong");
  Packet packet{envelope.from,
                static_cast<Route>(envelope.route),
                envelope.number,
                {static_cast<MessageKind>(envelope.kind), std::move(header.structure), {}}};
  std::uint64_t left = envelope.value_bytes;
  for (Label& label : header.labels) {
    left -= checked_bytes(label, left);
    packet.message.arrays.push_back({std::move(label.name), static_cast<ElementType>(label.type),
                                     std::move(label.shape), nullptr, static_cast<Purpose>(label.purpose), nullptr});
  }
  if (left > 0) refuse("its arrays are smaller than announced");
  return {std::move(packet), has_values, bytes.substr(envelope.header_bytes)};
}

}  // namespace meteor
