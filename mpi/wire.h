#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mpi/transport.h"

namespace meteor {

/// How a message looks between processes: a head (kind, structure, and the arrays' names, types, shapes and purposes),
/// followed by the arrays' values as they lie in memory. Values of no more bytes than this travel in the head, larger
/// ones on their own.
constexpr std::uint64_t most_bytes_in_head = 32 << 10;

/// Throws TransportError if the structure is too large for a message; bulk belongs in arrays.
std::string encode_head(const Message& message);

struct Head {
  Message message;          ///< its arrays have no values yet
  bool has_values;          ///< whether the head holds the values of the arrays
  std::string_view values;  ///< those, one array after the other; part of the bytes that were decoded
};

/// Throws TransportError if that is not a head, or one of another version of the program.
Head decode_head(std::string_view bytes);

}  // namespace meteor
