#include "kernels/row_products.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/instruction_set.h"
#include "kernels/padded_rows.h"
#include "support/random.h"

namespace meteor {
namespace {

AlignedRows random_rows(std::size_t rows, std::size_t width, Random& random) {
  AlignedRows result(rows, width);
  for (std::size_t i = 0; i < rows; ++i) {
    for (float& x : result.row(i)) x = static_cast<float>(random.uniform() - 0.5);
  }
  return result;
}

PaddedRows padded(const AlignedRows& rows) { return {rows.data(), rows.rows(), rows.stride()}; }

TEST(RowProducts, AreTheDotProductsOfAllPairs) {
  Random random{1};
  for (const std::size_t width : {1u, 16u, 19u, 300u}) {
    for (const std::size_t left_rows : {1u, 2u, 5u}) {
      for (const std::size_t right_rows : {1u, 6u, 7u, 50u, 101u}) {
        const AlignedRows left = random_rows(left_rows, width, random);
        const AlignedRows right = random_rows(right_rows, width, random);
        std::vector<float> products(left_rows * right_rows);
        row_products(left, right, products.data());
        for (std::size_t i = 0; i < left_rows; ++i) {
          for (std::size_t j = 0; j < right_rows; ++j) {
            double expected = 0;
            for (std::size_t k = 0; k < width; ++k) expected += double{left.row(i)[k]} * right.row(j)[k];
            EXPECT_NEAR(products[i * right_rows + j], expected, 1e-4);
          }
        }
      }
    }
  }
}

TEST(RowProducts, AreTheSameBitsOnAvx2AndAvx512) {
#ifdef __x86_64__
  if (best_instruction_set() != InstructionSet::avx512) GTEST_SKIP() << "this machine has no AVX-512";
  Random random{2};
  const AlignedRows left = random_rows(33, 300, random);
  const AlignedRows right = random_rows(101, 300, random);
  std::vector<float> narrow(33 * 101), wide(33 * 101);
  avx2::row_products(padded(left), padded(right), left.stride(), narrow.data());
  avx512::row_products(padded(left), padded(right), left.stride(), wide.data());
  EXPECT_EQ(narrow, wide);
#else
  GTEST_SKIP() << "only x86-64 has these instruction sets";
#endif
}

}  // namespace
}  // namespace meteor
