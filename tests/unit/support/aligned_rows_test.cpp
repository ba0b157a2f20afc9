#include "support/aligned_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace meteor {
namespace {

TEST(AlignedRows, RowsStartAtMultiplesOf64BytesAndAreZero) {
  for (std::size_t width : {1, 15, 16, 17, 300}) {
    AlignedRows rows(5, width);
    EXPECT_EQ(rows.rows(), 5u);
    EXPECT_GE(rows.stride(), width);
    EXPECT_LT(rows.stride(), width + 16);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rows.row(i).data()) % 64, 0u);
      EXPECT_EQ(rows.row(i).size(), width);
    }
    EXPECT_TRUE(std::all_of(rows.data(), rows.data() + 5 * rows.stride(), [](float x) { return x == 0; }));
  }
}

TEST(AlignedRows, WithoutRowsOrWidthHoldNothing) {
  EXPECT_EQ(AlignedRows().data(), nullptr);
  EXPECT_EQ(AlignedRows(0, 5).data(), nullptr);
  EXPECT_EQ(AlignedRows(5, 0).row(3).size(), 0u);
}

TEST(AlignedRows, DoNotMoveInMemoryWhenTheirOwnerDoes) {
  AlignedRows rows(2, 3);
  rows.row(1)[2] = 7;
  const float* const data = rows.data();
  const AlignedRows moved = std::move(rows);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved.row(1)[2], 7);
}

TEST(AlignedRows, InMemoryOfSomebodyElseKeepItAndDoNotFreeIt) {
  const auto keeper = std::make_shared<AlignedRows>(4, 20);
  keeper->row(3)[1] = 7;
  AlignedRows rows(4, 20, keeper->data(), keeper);
  EXPECT_EQ(keeper.use_count(), 2);
  EXPECT_EQ(rows.stride(), keeper->stride());
  EXPECT_EQ(rows.row(3)[1], 7);
  rows.narrow(2);
  EXPECT_EQ(rows.row(3)[1], 7);
  rows = AlignedRows();
  EXPECT_EQ(keeper.use_count(), 1);
}

}  // namespace
}  // namespace meteor
