#include "mpi/encoding.h"

#include <gtest/gtest.h>

#include <cstring>

namespace meteor {
namespace {

struct Errand {
  std::string place;
  std::vector<std::uint64_t> numbers;
  bool urgent = false;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& place& numbers& urgent;
  }
};

TEST(Encoding, AStructureComesBackAsItWas) {
  const Errand errand = decode<Errand>(encode(Errand{std::string("a\0b", 3), {1, 1ULL << 40}, true}));
  EXPECT_EQ(errand.place, std::string("a\0b", 3));
  EXPECT_EQ(errand.numbers, (std::vector<std::uint64_t>{1, 1ULL << 40}));
  EXPECT_TRUE(errand.urgent);
}

TEST(Encoding, BytesThatAreCutOrTooManyAreRefused) {
  const std::string bytes = encode(Errand{"market", {1, 2, 3}, false});
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(decode<Errand>(bytes.substr(0, length)), TransportError) << length;
  EXPECT_THROW(decode<Errand>(bytes + '\0'), TransportError);
}

TEST(Encoding, ALengthBeyondTheBytesIsRefusedBeforeRoomIsMade) {
  const std::string bytes = encode(Errand{"market", {1, 2, 3}, false});
  for (std::size_t place = 0; place + 8 <= bytes.size(); ++place) {
    for (const std::uint64_t length : {std::uint64_t{1} << 34, ~std::uint64_t{0}, std::uint64_t{100}}) {
      std::string changed = bytes;
      std::memcpy(changed.data() + place, &length, sizeof length);
      try {
        const Errand errand = decode<Errand>(changed);
        EXPECT_LE(errand.place.size() + 8 * errand.numbers.size(), bytes.size());
      } catch (const TransportError&) {
      }
    }
  }
}

}  // namespace
}  // namespace meteor
