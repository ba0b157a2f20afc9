#include "compression/spectral/code_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "support/random.h"

namespace meteor {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(CodeDifference, HoldsABitAByteAndTheBytesThatDiffer) {
  Bytes differences{77};
  append_difference(Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9}, Bytes{1, 20, 3, 4, 5, 6, 7, 80, 90}, differences);
  EXPECT_THAT(differences, testing::ElementsAre(77, 0b10000010, 20, 80, 1, 90));
}

TEST(CodeDifference, TurnsEachCodeIntoTheNext) {
  Random random{1};
  Bytes differences;
  std::vector<Bytes> before, after;
  for (std::size_t length = 0; length < 40; ++length) {
    Bytes& code = before.emplace_back();
    for (std::size_t i = 0; i < length; ++i) code.push_back(static_cast<std::uint8_t>(random.next()));
    Bytes& changed = after.emplace_back(code);
    for (std::uint8_t& byte : changed) {
      if (random.uniform() < 0.5) byte = static_cast<std::uint8_t>(random.next());
    }
    append_difference(code, changed, differences);
  }
  std::span<const std::uint8_t> left(differences);
  for (std::size_t i = 0; i < before.size(); ++i) {
    apply_difference(left, before[i]);
    EXPECT_EQ(before[i], after[i]);
  }
  EXPECT_TRUE(left.empty());
}

TEST(CodeDifference, ThatIsCutOrOfALongerCodeIsRefused) {
  Bytes differences;
  append_difference(Bytes(12, 0), Bytes(12, 1), differences);
  for (std::size_t kept = 0; kept < differences.size(); ++kept) {
    Bytes code(12);
    std::span<const std::uint8_t> cut = std::span(differences).first(kept);
    EXPECT_THROW(apply_difference(cut, code), StorageError) << kept;
  }
  Bytes shorter(11);
  std::span<const std::uint8_t> whole(differences);
  EXPECT_THROW(apply_difference(whole, shorter), StorageError);
}

}  // namespace
}  // namespace meteor
