#include "mpi/wire.h"

#include <gtest/gtest.h>

#include <cstring>

#include "mpi/messages.h"

namespace meteor {
namespace {

Message message_with(std::vector<Array> arrays) { return {MessageKind::changes, "structure", std::move(arrays), true}; }

TEST(Wire, AMessageComesBackAsItWas) {
  Array matrix = own_array<float>("matrix", {1, 2, 3, 4, 5, 6}, Purpose::description);
  matrix.shape = {2, 3};
  const std::string bytes = encode_head(message_with({matrix, own_array<std::uint16_t>("empty", {})}));
  const Head head = decode_head(bytes);
  EXPECT_TRUE(head.message.to_all);
  EXPECT_EQ(head.message.kind, MessageKind::changes);
  EXPECT_EQ(head.message.structure, "structure");
  ASSERT_EQ(head.message.arrays.size(), 2u);
  const Array& array = head.message.arrays[0];
  EXPECT_EQ(array.name, "matrix");
  EXPECT_EQ(array.type, ElementType::f32);
  EXPECT_EQ(array.shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(array.purpose, Purpose::description);
  EXPECT_TRUE(head.has_values);
  EXPECT_EQ(head.values, std::string_view(static_cast<const char*>(matrix.data), 24));
}

TEST(Wire, ValuesOfLargeArraysTravelOnTheirOwn) {
  const auto arrays_of = [](std::size_t bytes) {
    return message_with({own_array("values", std::vector<std::uint8_t>(bytes))});
  };
  EXPECT_TRUE(decode_head(encode_head(arrays_of(most_bytes_in_head))).has_values);
  const std::string bytes = encode_head(arrays_of(most_bytes_in_head + 1));
  EXPECT_FALSE(decode_head(bytes).has_values);
  EXPECT_LT(bytes.size(), 1000u);
}

TEST(Wire, DamagedHeadsAreRefused) {
  const std::string bytes = encode_head(message_with({own_array<float>("values", {1, 2, 3})}));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(decode_head(std::string_view(bytes).substr(0, length)), TransportError) << length;
  EXPECT_THROW(decode_head(bytes + '\0'), TransportError);
  for (const std::size_t place : {0, 4, 8, 12}) {  // magic and length
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x55);
    EXPECT_THROW(decode_head(damaged), TransportError) << place;
  }
}

TEST(Wire, AnArrayWhoseSizeIsNoNumberIsRefused) {
  Array array = own_array<float>("values", {});
  array.shape = {1ULL << 32, 1ULL << 32, 0};
  std::string bytes = encode_head(message_with({array}));
  EXPECT_THROW(decode_head(bytes), TransportError);
}

}  // namespace
}  // namespace meteor
