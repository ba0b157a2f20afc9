#include "kernels/combine_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "kernels/instruction_set.h"
#include "support/random.h"

namespace meteor {
namespace {

struct Variant {
  std::string_view name;
  void (*combine)(const RowCombination&);
};

/// Those that this machine can run, and the one that chooses among them.
std::vector<Variant> runnable_variants() {
  std::vector<Variant> variants{{"chosen", combine_rows}, {"baseline", baseline::combine_rows}};
#ifdef __x86_64__
  if (best_instruction_set() >= InstructionSet::avx2) variants.push_back({"avx2", avx2::combine_rows});
  if (best_instruction_set() >= InstructionSet::avx512) variants.push_back({"avx512", avx512::combine_rows});
#endif
  return variants;
}

constexpr float kUntouched = 77;

/// Random rows that start at no multiple of anything, and more room behind the sum than it needs.
struct Sum {
  Sum(std::size_t count_, std::size_t width_, Random& random)
      : count(count_), width(width_), stride(width_ + 3), weights(count_), rows(1 + count_ * stride) {
    for (float& x : weights) x = static_cast<float>(random.uniform() - 0.5);
    for (float& x : rows) x = static_cast<float>(random.uniform() - 0.5);
  }

  std::vector<float> by(const Variant& variant) const {
    std::vector<float> out(width + 33, kUntouched);
    variant.combine({weights.data(), count, rows.data() + 1, stride, width, out.data() + 1});
    return out;
  }

  std::size_t count, width, stride;
  std::vector<float> weights, rows;
};

TEST(CombineRows, IsThePlainSumToWithinRounding) {
  Random random{1};
  for (const std::size_t count : {0u, 1u, 2u, 7u, 50u}) {
    for (const std::size_t width : {1u, 5u, 15u, 16u, 17u, 47u, 63u, 64u, 65u, 79u, 80u, 128u, 300u}) {
      const Sum sum(count, width, random);
      for (const Variant& variant : runnable_variants()) {
        SCOPED_TRACE(std::string(variant.name) + ": " + std::to_string(count) + " rows of " + std::to_string(width));
        const std::vector<float> out = sum.by(variant);
        EXPECT_EQ(out.front(), kUntouched);
        for (std::size_t i = 0; i < width; ++i) {
          double expected = 0, magnitude = 0;
          for (std::size_t k = 0; k < count; ++k) {
            const double product = double{sum.weights[k]} * sum.rows[1 + k * sum.stride + i];
            expected += product;
            magnitude += std::abs(product);
          }
          ASSERT_NEAR(out[1 + i], expected, magnitude * static_cast<double>(count + 1) * 0x1p-24) << "column " << i;
        }
        for (std::size_t i = width + 1; i < out.size(); ++i) ASSERT_EQ(out[i], kUntouched);
      }
    }
  }
}

TEST(CombineRows, IsTheSameBitsOnAvx2AndAvx512) {
#ifdef __x86_64__
  if (best_instruction_set() != InstructionSet::avx512) GTEST_SKIP() << "this machine has no AVX-512";
  Random random{2};
  for (const std::size_t width : {1u, 15u, 16u, 79u, 300u}) {
    const Sum sum(101, width, random);
    const std::vector<float> narrow = sum.by({"avx2", avx2::combine_rows});
    EXPECT_EQ(narrow, sum.by({"avx512", avx512::combine_rows}));
    EXPECT_EQ(narrow, sum.by({"chosen", combine_rows}));
  }
#else
  GTEST_SKIP() << "only x86-64 has these instruction sets";
#endif
}

}  // namespace
}  // namespace meteor
