#include "compression/matrix.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace meteor {
namespace {

TEST(Matrix, ProductsAreCutIntoTheSameBlocksWhateverTheCachesOfTheMachine) {
  ASSERT_TRUE(kSameBlocksOnAllMachines);
  EXPECT_EQ(Eigen::l1CacheSize(), 48 << 10);
  EXPECT_EQ(Eigen::l2CacheSize(), 2 << 20);
  EXPECT_EQ(Eigen::l3CacheSize(), 32 << 20);
}

TEST(Matrix, AnArrayThatDoesNotHoldRowsIsRefused) {
  Array array = own_array<float>("values", {1, 2, 3, 4, 5, 6});
  array.shape = {3, 2};
  EXPECT_EQ(matrix_of(array)(2, 1), 6);
  array.shape = {0, 2};
  EXPECT_EQ(matrix_of(array).rows(), 0);
  constexpr std::uint64_t many = std::uint64_t{1} << 63;
  for (const std::vector<std::uint64_t>& shape :
       {std::vector<std::uint64_t>{}, {6}, {3, 2, 1}, {0, many}, {many, 0}, {1, 0}, {0, 65537}}) {
    array.shape = shape;
    EXPECT_THROW(matrix_of(array), StorageError) << ::testing::PrintToString(shape);
  }
  EXPECT_THROW(matrix_of(own_array<std::uint32_t>("numbers", {1})), StorageError);
}

}  // namespace
}  // namespace meteor
